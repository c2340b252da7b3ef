"""Learning priors from whole curves: pilots cut from them, their nodes under any priors, the moves that help most."""

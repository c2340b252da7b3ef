"""Priors learnt from whole curves: pilots cut from them, their nodes under any priors, and the moves that they speak for."""

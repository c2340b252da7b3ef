"""Priors learnt from whole curves: pilots cut from them, their nodes under any priors, the moves they speak for."""

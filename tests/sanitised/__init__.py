"""Compiled code under the sanitisers of gcc: any access out of bounds and any undefined behaviour ends the process."""

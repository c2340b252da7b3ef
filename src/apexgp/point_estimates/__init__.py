"""Engines that choose the best parameters instead of integrating over them: the paper's MAP fit, and least squares."""

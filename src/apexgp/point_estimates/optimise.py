"""Bounded quasi-Newton minimisation from many starts at once.

A fit has half a dozen parameters and a few points, so the time goes into calls, not into arithmetic. All starts
therefore take their steps together and share each evaluation of the objective as one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .._check import FloatArray

__all__ = ["Minimum", "draw_starts", "minimise"]

# Gain, by the quadratic model, below which a step is not worth taking; unlike the gradient it knows no units.
_LEAST_DECREMENT = 1e-12

Objective = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Minimum:
    """Where the best of the starts ended."""

    x: FloatArray
    value: float
    converged: bool
    iterations: int


def minimise(
    objective: Objective,
    starts: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    curvature: Callable[[FloatArray], FloatArray],
    scales: FloatArray,
    max_iterations: int = 2000,
    gradient_tolerance: float = 1e-6,
) -> Minimum:
    """Minimise over a box, by BFGS with an active set and a backtracking projected search.

    Parameters
    ----------
    objective
        Maps points of shape (batch, d) to values (batch,) and gradients (batch, d).
    starts
        Shape (batch, d); clipped to the box.
    lower, upper
        The box; infinite bounds are fine.
    curvature
        Maps points to positive definite guesses of the Hessian, shape (batch, d, d), to begin with.
    scales
        A step along each coordinate that is neither tiny nor huge; longer ones are taken once such have gone well.
    max_iterations
        Evaluations of the batch.
    gradient_tolerance
        A start has arrived when no component of its projected, scaled gradient is larger, when the
        quadratic model promises no gain, or when rounding leaves no step that gains anything.
    """
    lower, upper = lower / scales, upper / scales
    x = np.clip(starts / scales, lower, upper)
    n = len(x)

    def scaled_objective(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        value, gradient = objective(x * scales)
        return value, gradient * scales

    def scaled_curvature(x: FloatArray) -> FloatArray:
        return curvature(x * scales) * scales * scales[:, None]

    f, g = scaled_objective(x)
    hessian = scaled_curvature(x)
    final_x, final_f, arrived = x.copy(), f.copy(), np.zeros(n, bool)
    running, fresh, step, reach = np.arange(n), np.ones(n, bool), np.ones(n), np.ones(n)
    direction = _direction(x, g, hessian, lower, upper, reach)
    iteration = 0
    while running.size and iteration < max_iterations:
        iteration += 1
        trial = np.clip(x + step[:, None] * direction, lower, upper)
        moved = trial - x
        promised = -(g * moved).sum(axis=1)
        f_trial, g_trial = scaled_objective(trial)
        accepted = f_trial <= f - 1e-4 * promised
        hessian[accepted] = _updated(hessian[accepted], moved[accepted], (g_trial - g)[accepted])
        fresh[accepted] = False
        x, g = np.where(accepted[:, None], trial, x), np.where(accepted[:, None], g_trial, g)
        f = np.where(accepted, f_trial, f)
        # A rejected step is shortened along the same direction. When nothing is left of it the curvature has misled
        # us: begin again with a fresh guess of it, and stop where that was tried already.
        spent = ~accepted & (np.abs(moved).max(axis=1) <= 1e-12)
        restart = spent & ~fresh
        if restart.any():
            hessian[restart], fresh[restart] = scaled_curvature(x[restart]), True
        # A step that was held to its reach and still went well may be longer next time.
        longest = np.abs(moved).max(axis=1)
        reach = np.where(accepted & (longest > 0.9 * reach), 2 * reach, np.where(spent, 1.0, reach))
        renewed = accepted | restart
        direction = np.where(renewed[:, None], _direction(x, g, hessian, lower, upper, reach), direction)
        step = np.where(renewed, 1.0, 0.3 * step)
        decrement = -(g * direction).sum(axis=1)
        flat = np.abs(np.clip(x - g, lower, upper) - x).max(axis=1) <= gradient_tolerance
        stop = flat | (renewed & (decrement <= _LEAST_DECREMENT)) | (spent & ~restart)
        final_x[running], final_f[running], arrived[running] = x, f, stop
        # Nor is it worth finishing what cannot catch up with a start that has arrived.
        if arrived.any():
            stop |= f - 10 * np.abs(decrement) > final_f[arrived].min() + 1e-9
        if stop.any():
            keep = ~stop
            running, fresh, step, reach = running[keep], fresh[keep], step[keep], reach[keep]
            x, f, g, hessian, direction = x[keep], f[keep], g[keep], hessian[keep], direction[keep]
    best = int(np.argmin(final_f))
    return Minimum(final_x[best] * scales, float(final_f[best]), bool(arrived[best]), iteration)


def _direction(
    x: FloatArray, g: FloatArray, hessian: FloatArray, lower: FloatArray, upper: FloatArray, reach: FloatArray
) -> FloatArray:
    """Step to the minimum of the quadratic model within the box, approximately.

    Coordinates that the gradient holds at a bound stay there; those that the step would carry past a bound are taken
    to it, and the others follow. Without that, a coordinate just above its bound would cut every step short.
    """
    fixed = ((x <= lower) & (g > 0)) | ((x >= upper) & (g < 0))
    direction = np.zeros_like(x)
    index = np.arange(x.shape[1])
    for _ in range(x.shape[1]):
        free = ~fixed
        system = hessian * (free[:, :, None] & free[:, None, :])
        system[:, index, index] += fixed + 1e-12 * (1 + system[:, index, index])
        pull = g + (hessian @ np.where(fixed, direction, 0.0)[..., None])[..., 0]
        direction = np.where(fixed, direction, np.linalg.solve(system, np.where(free, -pull, 0.0)[..., None])[..., 0])
        direction /= np.maximum(np.abs(direction).max(axis=1) / reach, 1.0)[:, None]
        passed = free & ((x + direction < lower) | (x + direction > upper))
        if not passed.any():
            break
        direction = np.where(passed, np.clip(x + direction, lower, upper) - x, direction)
        fixed |= passed
    return direction


def _updated(hessian: FloatArray, moved: FloatArray, change: FloatArray) -> FloatArray:
    """BFGS update, damped after Powell so that the matrix stays positive definite."""
    pushed = (hessian @ moved[..., None])[..., 0]
    energy = (moved * pushed).sum(axis=1)
    gain = (moved * change).sum(axis=1)
    weak = gain < 0.2 * energy
    damping = np.where(weak, 0.8 * energy / np.where(weak, energy - gain, 1.0), 1.0)[:, None]
    change = damping * change + (1 - damping) * pushed
    gain = (moved * change).sum(axis=1)
    # A step too short to measure a curvature by teaches nothing.
    telling = (energy > 1e-24) & (gain > 1e-24)
    change = change / np.sqrt(np.where(telling, gain, np.inf))[:, None]
    pushed = pushed / np.sqrt(np.where(telling, energy, np.inf))[:, None]
    return hessian + change[:, :, None] * change[:, None, :] - pushed[:, :, None] * pushed[:, None, :]


def draw_starts(ranges: Sequence[tuple[float, float]], count: int, seed: int) -> FloatArray:
    """Draw starting points: a Latin hypercube, of which each of `count` equal parts of every range holds one point.

    Returns an array of shape (count, number of ranges).
    """
    rng = np.random.default_rng(seed)
    low, high = np.array(ranges).T
    cells = np.stack([rng.permutation(count) for _ in ranges], axis=1)
    return low + (cells + rng.random(cells.shape)) / count * (high - low)

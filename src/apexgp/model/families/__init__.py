"""Families of curves for least squares: curve(n) = offset + amplitude g(n; shape), as formulas.

A family is set up for the sizes of a pilot and never sees its scores. Inside, sizes are counted in units of the
smallest one, x = n / unit. Given the shape, offset and amplitude follow in closed form, so a family states only its
shape: a grid of values along each coordinate, of which the first and the last are the bounds; the basis g, which must
rise with x; its inverse; and the published parameters that belong to what was found, for sizes counted in examples.

Coordinates are chosen so that they fit any pilot and change the curve about evenly. Like a mean's drop, a basis is
written with functions that NumPy also defines for complex numbers: the engine differentiates it by the complex step.

Families are listed in the order below, and those of other modules in this folder after them.
"""

from importlib import import_module
from pkgutil import iter_modules

from .family import FAMILIES, Family

__all__ = ["FAMILIES", "Family"]

_FIRST = ("paper", "mahmood", "lcdb", "scaling_laws")
for _name in (*_FIRST, *sorted({module.name for module in iter_modules(__path__)} - {*_FIRST, "family"})):
    import_module(f".{_name}", __name__)

"""What users may import, as the package itself says: the names of apexgp, and those of the modules among them."""

import inspect

import apexgp


def public_modules():
    """Every public module by its name."""
    inner = {f"apexgp.{name}": getattr(apexgp, name) for name in apexgp.__all__}
    return {"apexgp": apexgp} | {name: held for name, held in inner.items() if inspect.ismodule(held)}


def public_names():
    """Every public function, class and constant, by the name that it is imported by."""
    return {
        f"{module}.{name}": getattr(holder, name)
        for module, holder in public_modules().items()
        for name in holder.__all__
        if not inspect.ismodule(getattr(holder, name))
    }

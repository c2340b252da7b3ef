"""What the server says on the terminal."""

from __future__ import annotations

__all__ = ["address_line", "open_to_others"]


def address_line(address: str) -> str:
    """Where the page is."""
    return f"The page is at {address} - press Ctrl+C to stop."


def open_to_others(host: str) -> str:
    """Warning that others reach the server."""
    return (
        f"Warning: on {host} everyone on the network can reach this server. It asks for the token below, but nothing "
        "is encrypted: use it on a network you trust, or through a tunnel (ssh -L 8000:localhost:8000 machine)."
    )

"""The command `apexgp serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..._extras import import_extra

__all__ = ["serve"]


def serve(
    *,
    port: Annotated[int, typer.Option(help="Port to listen on; 0 picks a free one.")] = 8000,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. Any address other than this machine's own is open to the network."),
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page in a browser.")] = False,
    token: Annotated[
        bool,
        typer.Option(
            "--token",
            help="Require a token, which is printed. Always on if others can reach --host. APEXGP_TOKEN in the "
            "environment sets it.",
        ),
    ] = False,
) -> None:
    """Open a page in the browser: paste the scores, read the answer. Nothing leaves this machine.

    Its JSON interface is described at /openapi.json.
    """
    import_extra("fastapi", "apexgp serve", "web")
    import_extra("uvicorn", "apexgp serve", "web")
    from ..web.server import run

    run(host, port, browser=not no_browser, with_token=token, say=lambda line: typer.echo(line, err=True))

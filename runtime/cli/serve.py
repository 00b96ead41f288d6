"""`serve`: the HTTP interface and the web page, on the loopback unless told otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from .frame import Frame


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", metavar="H", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0 takes a free one.")] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            "--token", metavar="T", envvar="REHYDRATE_TOKEN", help="Needed where others can reach the address."
        ),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="For new sessions.")] = None,
    api: Annotated[
        Literal["responses", "chat"], typer.Option("--api", help="The interface the model's service speaks.")
    ] = "responses",
    project: Annotated[
        Path | None, typer.Option("--project", metavar="PATH", help="Where new sessions work (default: here).")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another name the server is reached by; may be repeated."),
    ] = None,
) -> None:
    """Serve the HTTP interface and the web page.

    Example: rehydrate serve --port 8765
    """
    from ..web.serving import serve_forever

    frame = Frame.of(context)
    serve_forever(
        frame.db,
        host=host,
        port=port,
        token=token,
        model=model,
        api=api,
        project=project,
        allowed_hosts=tuple(allow_host or ()),
        say=frame.note,
    )
    raise typer.Exit(0)

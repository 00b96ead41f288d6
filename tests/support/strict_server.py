"""A model's service on the loopback: scripted in what it says, as strict as the real one in what it accepts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import scripted_replies as wire
from .scripted_replies import Reply
from .strict_rules import Illegal, check_chat, check_responses, check_text

Script = Iterable[Reply] | Callable[[dict[str, Any]], Reply]


class StrictServer:
    """Answers /v1/responses and /v1/chat/completions. `requests` holds every accepted body, `refused` every refusal."""

    def __init__(self, script: Script) -> None:
        self.requests: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.refused: list[str] = []
        self._script = script if callable(script) else None
        self._replies = iter(()) if callable(script) else iter(script)
        self._guard = threading.Lock()
        self.count = 0
        server = self

        class Handler(_Handler):
            owner = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def extend(self, *replies: Reply) -> None:
        """Say these next (after what is left of the script)."""
        with self._guard:
            self._replies = iter([*self._replies, *replies])

    def next_reply(self, body: dict[str, Any]) -> tuple[int, Reply]:
        with self._guard:
            self.count += 1
            reply = self._script(body) if self._script else next(self._replies, wire.say("Done."))
            return self.count, reply

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@contextmanager
def strict_server(*replies: Reply, script: Callable[[dict[str, Any]], Reply] | None = None) -> Iterator[StrictServer]:
    """A running server that says `replies` in turn (then "Done."), or what `script` makes of each request."""
    server = StrictServer(script or replies)
    try:
        yield server
    finally:
        server.close()


class _Handler(BaseHTTPRequestHandler):
    owner: StrictServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Silent."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chat = self.path.endswith("/chat/completions")
        try:
            body = check_text(raw)
            if not chat and not self.path.endswith("/responses"):
                raise Illegal(f"Unknown request URL: POST {self.path}.")
            (check_chat if chat else check_responses)(body)
        except Illegal as error:
            self.owner.refused.append(str(error))
            self._send(400, {"error": {"message": str(error), "type": "invalid_request_error", "code": None}})
            return
        self.owner.requests.append(body)
        self.owner.raw.append(raw)
        number, reply = self.owner.next_reply(body)
        if reply.status != 200:
            failure = {"message": reply.error, "type": "server_error", "code": reply.error_code}
            self._send(reply.status, {"error": failure}, reply.headers)
        elif body.get("stream") and not reply.never_streams:
            self._stream(chat, reply, number, body["model"])
        else:
            make = wire.chat_completion if chat else wire.response
            self._send(200, make(reply, number, body["model"]))

    def _send(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("x-request-id", f"req_{self.owner.count}")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, chat: bool, reply: Reply, number: int, model: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.send_header("x-request-id", f"req_{number}")
        self.end_headers()
        self.close_connection = True
        make = wire.chat_chunks if chat else wire.response_events
        try:
            for sequence, event in enumerate(make(reply, number, model)):
                if not chat:
                    self.wfile.write(f"event: {event['type']}\n".encode())
                numbered = event if chat else {**event, "sequence_number": sequence}
                self.wfile.write(b"data: " + json.dumps(numbered).encode() + b"\n\n")
                self.wfile.flush()
                time.sleep(reply.pause_s)
            if chat and reply.cut_after is None:
                self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            return

"""Who may ask: by the Host header against rebinding, by the Origin header against other pages, by a token off the loopback."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...events.errors import UsageError
from .answers import as_json

COOKIE = "rehydrate_token"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    ),
)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Rules:
    """hosts: names the server may be asked by. token: needed with each request, None for none."""

    hosts: frozenset[str]
    token: str | None = None

    @classmethod
    def for_address(cls, host: str, token: str | None, allowed: tuple[str, ...] = ()) -> Rules:
        """The rules of a server that listens at `host`.

        Raises:
            UsageError: others reach the address and there is no token.
        """
        if not is_loopback(host) and not token:
            raise UsageError(
                f"{host} can be reached by others.", remedy="Give a token with --token, or listen at 127.0.0.1."
            )
        own: set[str] = set() if host in ("0.0.0.0", "::", "") else {host}  # noqa: S104 - compared, not bound
        return cls(frozenset(name.lower() for name in LOOPBACK_NAMES | own | set(allowed)), token or None)


class Guard:
    """Refuses with 403 (or 401 without the token) before anything is looked at."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            status, code, message, remedy = refusal
            document: dict[str, object] = {"code": code, "message": message, "remedy": remedy, "facts": {}}
            await as_json({"error": document}, status)(scope, receive, send)
            return
        await self._app(scope, receive, _with_headers(send, self._cookie(scope)))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str, str] | None:
        host = _name(headers.get("host", ""))
        if host not in self._rules.hosts:
            return 403, "host-refused", f"This server is not reached as {host!r}.", "Use its address, or --allow-host."
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            return 403, "origin-refused", f"Requests from {origin} are not taken.", "Use the server's own page."
        if headers.get("sec-fetch-site") == "cross-site" and scope["method"] != "GET":
            return 403, "origin-refused", "Requests from other sites are not taken.", "Use the server's own page."
        token = self._rules.token
        if token is not None and not any(_equal(token, given) for given in _given(scope, headers)):
            return 401, "token-needed", "This server needs its token.", "Send it as: Authorization: Bearer TOKEN"
        return None

    def _cookie(self, scope: Scope) -> str | None:
        """A token in the address of a page is kept as a cookie, so that the page's own requests carry it."""
        token = self._rules.token
        if token is None or "token" not in parse_qs(scope["query_string"].decode("latin-1")):
            return None
        return f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"


def _given(scope: Scope, headers: Headers) -> list[str]:
    found = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        found.append(value.strip())
    cookie: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    if COOKIE in cookie:
        found.append(cookie[COOKIE].value)
    return found


def _equal(token: str, given: str) -> bool:
    return hmac.compare_digest(token.encode(), given.encode())


def _name(host: str) -> str:
    """The name without the port, lower case."""
    return (urlsplit(f"//{host}").hostname or "").lower()


def _with_headers(send: Send, cookie: str | None) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", []), *HEADERS]
            if cookie is not None:
                headers.append((b"set-cookie", cookie.encode("latin-1")))
            message = {**message, "headers": headers}
        await send(message)

    return sent

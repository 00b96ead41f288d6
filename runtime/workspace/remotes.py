"""The address of a remote repository in one form, however it was typed; without secrets."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

_SCP = re.compile(r"^(?:[^@/\\]+@)?(?P<host>[A-Za-z0-9_.\-\[\]:]+?):(?!//)(?P<path>.+)$")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_CASELESS_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
_ALIASES = {"ssh.github.com": "github.com", "altssh.bitbucket.org": "bitbucket.org", "altssh.gitlab.com": "gitlab.com"}
_DEFAULT_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418, "git+ssh": 22, "ssh+git": 22}
LOCAL = "file:"


def normalized(address: str, base: str | None = None) -> str | None:
    """`host/path` of a network address, `file:<real path>` of a local one, None of an empty text.

    Scheme, user, password, default port, `.git` and trailing slashes fall away, so `git@host:a/b.git` and
    `https://token@host/a/b/` are one. base: the directory that a relative local path counts from.
    """
    text = address.strip()
    if not text:
        return None
    if "://" in text:
        return _of_url(text, base)
    scp = None if _DRIVE.match(text) or text.startswith(("/", ".", "~")) else _SCP.match(text)
    if scp is not None:
        return _network(scp["host"], None, scp["path"], "ssh")
    return _local(text, base)


def is_local(remote: str) -> bool:
    """Whether a normalized remote is a directory of this machine."""
    return remote.startswith(LOCAL)


def _of_url(text: str, base: str | None) -> str | None:
    parts = urlsplit(text)
    if parts.scheme == "file":
        return _local(unquote(parts.path), base)
    try:
        port = parts.port
    except ValueError:
        port = None
    return _network(parts.hostname or "", port, unquote(parts.path), parts.scheme)


def _network(host: str, port: int | None, path: str, scheme: str) -> str:
    host = host.lower()
    if host in _ALIASES:
        host, port = _ALIASES[host], None
    place = path.strip("/").removesuffix("/").removesuffix(".git").rstrip("/")
    if host in _CASELESS_HOSTS:
        place = place.lower()
    shown_port = "" if port is None or port == _DEFAULT_PORTS.get(scheme) else f":{port}"
    return f"{host}{shown_port}/{place}"


def _local(text: str, base: str | None) -> str:
    path = os.path.expanduser(text) if text.startswith("~") else text  # noqa: PTH111 (`~user` of a remote is text)
    if base is not None and not os.path.isabs(path):  # noqa: PTH117 (bytes that are no UTF-8 stay as they are)
        path = os.path.join(base, path)  # noqa: PTH118
    return LOCAL + os.path.realpath(path)

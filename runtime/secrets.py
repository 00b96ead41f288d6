"""Keys and passwords that a tool once read stay out of what is derived from a transcript: lists, views, snippets.

Only patterns that are secrets by their form are masked, so that ordinary text and signatures stay as they are. What is
sent to a model is never changed here: it must be what the session holds.
"""

from __future__ import annotations

import re
from typing import Any, cast

MASK = "[secret masked]"

_WORD_START = r"(?<![A-Za-z0-9_\-])"
_WORD_END = r"(?![A-Za-z0-9_\-])"
_WHOLE = (
    r"sk-(?:proj-|ant-[a-z0-9]+-|svcacct-|admin-|or-v1-)[A-Za-z0-9_\-]{20,}",  # OpenAI, Anthropic, OpenRouter
    r"sk-(?=[A-Za-z0-9_\-]*[0-9])[A-Za-z0-9_\-]{20,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",  # AWS access key ids
    r"gh[pousr]_[A-Za-z0-9]{36,}",  # GitHub tokens
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"glpat-[A-Za-z0-9_\-]{20,}",  # GitLab
    r"xox[abeoprs]-[A-Za-z0-9\-]{10,}",  # Slack
    r"AIza[A-Za-z0-9_\-]{35}",  # Google API keys
    r"ya29\.[A-Za-z0-9_\-]{20,}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_\-]{50,}",
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}",  # Stripe
    r"whsec_[A-Za-z0-9]{24,}",
    r"SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}",  # SendGrid
    r"dop_v1_[a-f0-9]{40,}",  # DigitalOcean
    r"eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{16,}",  # JSON web tokens
)
_PEM = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)"
_URL = r"(?<=://)(?P<user>[^\s:/@\"'<>]*):(?P<password>[^\s/@\"'<>]+)(?=@[^\s/@])"
_QUOTE = r"[\"']?"
_AWS_NAME = rf"(?i:(?P<name>aws_?secret_?access_?key{_QUOTE}\s*[=:]\s*{_QUOTE}))"
_AWS_SECRET = rf"{_AWS_NAME}[A-Za-z0-9/+=]{{40}}(?![A-Za-z0-9/+=])"
_BEARER = rf"(?i:(?P<bearer>authorization{_QUOTE}\s*:\s*{_QUOTE}(?:bearer|basic)\s+))[A-Za-z0-9_\-.~+/=]{{16,}}"

_SECRET = re.compile(
    f"(?P<pem>{_PEM})|(?P<whole>{_WORD_START}(?:{'|'.join(_WHOLE)}){_WORD_END})|{_URL}|{_AWS_SECRET}|{_BEARER}",
    re.DOTALL,
)
_HINT = re.compile(
    r"sk-|AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|glpat-|xox|AIza|ya29|npm_|pypi-|hf_|_live_|_test_|whsec_|SG\.|dop_v1_|eyJ"
    r"|PRIVATE KEY|://|(?i:secret_?access_?key|authorization)"
)
_PLACEHOLDER = re.compile(r"[$<{*]|^x+$|^(?:password|pass|passwd|pwd|secret|token)$", re.IGNORECASE)
OPAQUE_KEYS = frozenset({"signature", "encrypted_content", "data", "native_id", "event_id", "digest", "hash"})
"""Fields that hold bytes of a provider or ids of ours: nothing a person could misuse, and useless when changed."""


def mask(text: str) -> tuple[str, int]:
    """The text with each secret replaced by MASK, and how many there were."""
    if not _HINT.search(text):
        return text, 0
    count = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        if found["password"] is not None:
            if _PLACEHOLDER.search(found["password"]):
                return found[0]
            count += 1
            return f"{found['user']}:{MASK}"
        count += 1
        return f"{found['name'] or found['bearer'] or ''}{MASK}"

    return _SECRET.sub(replace, text), count


def mask_document(document: Any) -> tuple[Any, int]:
    """JSON values with every text masked, and the number of secrets; keys in OPAQUE_KEYS are left as they are."""
    if isinstance(document, str):
        return mask(document)
    total = 0
    if isinstance(document, dict):
        masked: dict[str, Any] = {}
        for key, value in cast("dict[str, Any]", document).items():
            if key in OPAQUE_KEYS and isinstance(value, str):
                masked[key] = value
                continue
            masked[key], count = mask_document(value)
            total += count
        return masked, total
    if isinstance(document, list | tuple):
        items: list[Any] = []
        for value in cast("list[Any]", document):
            item, count = mask_document(value)
            items.append(item)
            total += count
        return items, total
    return document, 0

"""Which texts are secrets by their form, and which are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rehydrate.runtime.secrets import MASK, mask, mask_document

SECRETS = {
    "OpenAI key": "sk-proj-" + "aB3d" * 10,
    "old OpenAI key": "sk-" + "aB3d" * 12,
    "Anthropic key": "sk-ant-api03-" + "x-Y_9" * 10,
    "AWS key id": "AKIA" + "Q2W3E4R5T6Y7U8I9",
    "GitHub token": "ghp_" + "a1B2" * 9,
    "GitHub fine-grained token": "github_pat_" + "11ABCDEFG0" * 4,
    "GitLab token": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "Slack token": "xoxb-" + "123456789012-abcdef",
    "Google key": "AIza" + "S" * 35,
    "Hugging Face token": "hf_" + "aB3d" * 9,
    "Stripe key": "sk_live_" + "aB3d" * 6,
    "JSON web token": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
}
HARMLESS = [
    "sk-some-words-in-kebab-case-that-go-on",
    "https://example.org:8443/a@b",
    "https://$USER:$PASSWORD@example.org",
    "ssh://git@example.org/repo.git",
    "the key AKIA is a prefix",
    "Authorization is needed",
    "-----BEGIN CERTIFICATE-----",
]


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_is_masked_wherever_it_stands(name: str) -> None:
    secret = SECRETS[name]
    for text in (secret, f"KEY={secret}", f'{{"key":"{secret}"}}', f"a\n{secret}\nb", f"export X={secret};"):
        masked, count = mask(text)
        assert secret not in masked
        assert MASK in masked
        assert count == 1


def test_a_password_in_a_url_is_masked_and_the_rest_is_kept() -> None:
    assert mask("postgres://u:p4ss@h/db") == (f"postgres://u:{MASK}@h/db", 1)
    assert mask("redis://:s3cret@h:6379/0") == (f"redis://:{MASK}@h:6379/0", 1)


def test_a_private_key_is_masked_as_a_whole_even_when_it_is_cut_off() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\n-----END OPENSSH PRIVATE KEY-----"
    assert mask(f"a {key} b") == (f"a {MASK} b", 1)
    assert mask(key[:50]) == (MASK, 1)


def test_named_secrets_are_masked_behind_their_name() -> None:
    assert mask("aws_secret_access_key = " + "a1B2" * 10) == (f"aws_secret_access_key = {MASK}", 1)
    assert mask("Authorization: Bearer abcdef0123456789xyz") == (f"Authorization: Bearer {MASK}", 1)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_alike_is_left(text: str) -> None:
    assert mask(text) == (text, 0)


def test_a_document_keeps_its_shape_and_signatures() -> None:
    secret = SECRETS["OpenAI key"]
    document = {"text": [f"x {secret}", 3, None], "signature": secret, "deep": {"a": (secret,)}}
    masked, count = mask_document(document)
    assert masked == {"text": [f"x {MASK}", 3, None], "signature": secret, "deep": {"a": [MASK]}}
    assert count == 2


@given(st.text())
def test_masking_twice_is_masking_once(text: str) -> None:
    masked, _ = mask(text)
    assert mask(masked) == (masked, 0)

"""Signed tokens: who can read them, who can make them, and which spellings are refused."""

import base64
import hashlib
import json
from typing import Any

import pytest
from itsdangerous import URLSafeSerializer

from core.errors import CursorInvalid, SettingsError
from core.tokens import MAX_TOKEN_CHARS, Signer, key_id

OLD, NEW = "an-older-signing-key", "a-newer-signing-key!"
SALT = "paperdesk.test.v1"
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."


def plain_serializer(key: str) -> URLSafeSerializer:
    return URLSafeSerializer(
        key,
        salt=SALT,
        serializer_kwargs={"sort_keys": True},
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )


def test_token_gives_its_payload_back_with_the_key_named() -> None:
    signer = Signer([OLD, NEW], SALT)
    kid = hashlib.sha256(NEW.encode()).hexdigest()[:16]
    assert signer.verify(signer.sign({"b": 1, "a": "x"})) == {"a": "x", "b": 1, "kid": kid}


def test_payload_is_readable_compact_sorted_json_also_when_compression_would_be_shorter() -> None:
    token = Signer([NEW], SALT).sign({"b": "x" * 400, "a": 1})
    payload = token.rpartition(".")[0]
    text = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()
    assert text == json.dumps({"a": 1, "b": "x" * 400, "kid": key_id(NEW)}, separators=(",", ":"), sort_keys=True)


@pytest.mark.parametrize("text", ["short", "x" * 400])
def test_plain_url_safe_serializer_and_signer_read_each_other(text: str) -> None:
    payload = {"text": text, "kid": key_id(NEW)}
    assert plain_serializer(NEW).loads(Signer([NEW], SALT).sign({"text": text})) == payload
    assert Signer([NEW], SALT).verify(plain_serializer(NEW).dumps(payload)) == payload


def test_every_listed_key_verifies_and_no_other() -> None:
    # catalog A73
    token = Signer([OLD], SALT).sign({"a": 1})
    assert Signer([OLD, NEW], SALT).verify(token)["kid"] == key_id(OLD)
    with pytest.raises(CursorInvalid):
        Signer([NEW], SALT).verify(token)


def test_salt_keeps_tokens_of_other_uses_out() -> None:
    with pytest.raises(CursorInvalid):
        Signer([NEW], "another.v1").verify(Signer([NEW], SALT).sign({"a": 1}))


@pytest.mark.parametrize("payload", [{"a": 1, "kid": key_id(OLD)}, {"a": 1}, {"kid": None}, [1], "text", 1])
def test_key_id_must_name_the_key_that_verified(payload: Any) -> None:
    # catalog A74
    with pytest.raises(CursorInvalid):
        Signer([OLD, NEW], SALT).verify(plain_serializer(NEW).dumps(payload))


def test_any_one_character_change_is_refused() -> None:
    # catalog A74
    signer = Signer([NEW], SALT)
    token = signer.sign({"a": 1})
    for position in range(len(token)):
        for other in ALPHABET:
            if other != token[position]:
                with pytest.raises(CursorInvalid):
                    signer.verify(token[:position] + other + token[position + 1 :])


@pytest.mark.parametrize(
    "change",
    [
        lambda token: "",
        lambda token: ".",
        lambda token: token[:-1],
        lambda token: token + "A",
        lambda token: token + "=",
        lambda token: token + "\n",
        lambda token: " " + token,
        lambda token: token.replace(".", "!."),
        lambda token: token.partition(".")[0],
        lambda token: token + "é",
        lambda token: "\ud800" + token,
        lambda token: token.ljust(MAX_TOKEN_CHARS + 1, "A"),
    ],
)
def test_malformed_token_is_refused(change: Any) -> None:
    # catalog A74
    signer = Signer([NEW], SALT)
    with pytest.raises(CursorInvalid):
        signer.verify(change(signer.sign({"a": 1})))


def test_unverified_payload_is_refused_before_it_is_read() -> None:
    payload = base64.urlsafe_b64encode(b"not json").rstrip(b"=").decode()
    signed = plain_serializer(NEW).make_signer(SALT).sign(payload).decode()
    with pytest.raises(CursorInvalid):
        Signer([NEW], SALT).verify(signed)


def test_token_over_the_length_limit_is_not_signed() -> None:
    with pytest.raises(CursorInvalid):
        Signer([NEW], SALT).sign({"a": "x" * 1600})


@pytest.mark.parametrize("keys", [[], [""], [OLD, ""]])
def test_empty_key_is_a_settings_error(keys: list[str]) -> None:
    with pytest.raises(SettingsError):
        Signer(keys, SALT)

"""How bytes lie in a store: sealed by the first key, read by all, bound to their place."""

import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ArtifactCorrupt, OperatorError
from core.scan.stores.blobs import Blobs

OLD, NEW = b"o" * 32, b"n" * 32
PLACE = ("k" * 64, "screen.json", 3)


def opened(blobs: Blobs, blob: bytes, place: tuple[str, str, int] = PLACE, bytes_max: int = 1 << 20) -> bytes:
    return blobs.opened(blob, *place, bytes_max=bytes_max)


@given(clear=st.binary(max_size=300), keys=st.sampled_from([(), (NEW,), (NEW, OLD)]))
def test_what_is_sealed_is_read_back(clear: bytes, keys: tuple[bytes, ...]) -> None:
    blobs = Blobs(keys)
    blob = blobs.sealed(clear, *PLACE)
    assert opened(blobs, blob) == clear
    assert blobs.is_sealing == bool(keys)
    assert blob[:2] == bytes((1, 1 if keys else 0))


def test_the_first_key_writes_and_all_read() -> None:
    # scan A75
    before = Blobs([OLD]).sealed(b"planted", *PLACE)
    rotated = Blobs([NEW, OLD])
    after = rotated.sealed(b"planted", *PLACE)
    assert (opened(rotated, before), opened(rotated, after)) == (b"planted", b"planted")
    assert opened(Blobs([NEW]), after) == b"planted"
    assert (opened(Blobs([NEW, OLD, NEW]), after), opened(Blobs([OLD, OLD]), before)) == (b"planted", b"planted")
    for blobs, blob in ((Blobs([NEW]), before), (Blobs([OLD]), after), (Blobs(), after)):
        with pytest.raises(ArtifactCorrupt):
            opened(blobs, blob)
    assert rotated.sealed(b"planted", *PLACE) != after
    assert opened(rotated, Blobs().sealed(b"from before encryption", *PLACE)) == b"from before encryption"


@pytest.mark.parametrize("place", [("j" * 64, *PLACE[1:]), (PLACE[0], "screen.jsom", 3), (*PLACE[:2], 2)])
def test_a_sealed_blob_is_of_no_other_place(place: tuple[str, str, int]) -> None:
    # scan A72
    blobs = Blobs([NEW])
    with pytest.raises(ArtifactCorrupt) as caught:
        opened(blobs, blobs.sealed(b"x", *PLACE), place)
    assert caught.value.name == place[1]


def test_any_flipped_bit_or_lost_byte_of_a_sealed_blob_is_told_of() -> None:
    # scan A71
    blobs = Blobs([NEW])
    blob = blobs.sealed(b"planted text " * 5, *PLACE)
    for place in range(len(blob)):
        changed = bytearray(blob)
        changed[place] ^= 16
        for damaged in (bytes(changed), blob[:place]):
            with pytest.raises(ArtifactCorrupt):
                opened(blobs, damaged)
    with pytest.raises(ArtifactCorrupt):
        opened(blobs, blob + b"x")


@pytest.mark.parametrize("change", [lambda blob: blob[:-1], lambda blob: blob + b"x", lambda blob: b"\2" + blob[1:]])
def test_a_blob_that_is_not_sealed_has_to_be_whole(change: Callable[[bytes], bytes]) -> None:
    # scan A71; that the bytes are the right ones is told by their sum in the state.
    with pytest.raises(ArtifactCorrupt):
        opened(Blobs(), change(Blobs().sealed(b"planted text", *PLACE)))


def test_bytes_that_unpack_to_too_many_are_damage() -> None:
    blob = bytes((1, 0)) + zlib.compress(bytes(1 << 20))
    assert len(opened(Blobs(), blob)) == 1 << 20
    with pytest.raises(ArtifactCorrupt):
        opened(Blobs(), blob, bytes_max=(1 << 20) - 1)


@pytest.mark.parametrize("key", [b"", b"k" * 31, b"k" * 33])
def test_a_key_has_32_bytes(key: bytes) -> None:
    with pytest.raises(OperatorError, match="64 hex digits") as caught:
        Blobs([NEW, key])
    assert "kkk" not in caught.value.message

"""Stored bytes: raw when short, else zstd with a versioned, trained dictionary that travels in the database."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import zstandard

RAW, ZSTD, ZSTD_DICT = 0, 1, 2
BUILT_IN_DICTIONARY = 1
SHORT = 200
_DICT_LIMIT = 65_536


def built_in_dictionary() -> bytes:
    """The dictionary this version writes with (its number is BUILT_IN_DICTIONARY)."""
    return (files(__package__ or "rehydrate.events") / "dictionary" / f"{BUILT_IN_DICTIONARY}.zdict").read_bytes()


class Codec:
    """Compresses with the newest dictionary, decompresses with the one named by the row.

    dictionaries: by number, as stored in the database.
    """

    def __init__(self, dictionaries: dict[int, bytes], level: int = 3) -> None:
        self._plain = zstandard.ZstdDecompressor()
        self._level = level
        self._dictionaries = dictionaries
        self._compress_plain = zstandard.ZstdCompressor(level=level)
        self._decompress: dict[int, zstandard.ZstdDecompressor] = {}
        self._compress: zstandard.ZstdCompressor | None = None
        self._dict_id: int | None = None
        for number in sorted(dictionaries):
            trained = zstandard.ZstdCompressionDict(dictionaries[number])
            trained.precompute_compress(level)  # pyright: ignore[reportUnknownMemberType] - untyped in its stubs
            self._decompress[number] = zstandard.ZstdDecompressor(dict_data=trained)
            self._compress = zstandard.ZstdCompressor(level=level, dict_data=trained)
            self._dict_id = number

    def at_level(self, level: int) -> Codec:
        """The same dictionaries with another level: 1 for records, which are many and large, costs half the time of 3."""
        return self if level == self._level else Codec(self._dictionaries, level)

    def encode(self, raw: bytes) -> tuple[int, int | None, bytes]:
        """`(encoding, dictionary number or None, stored bytes)`."""
        if len(raw) < SHORT:
            return RAW, None, raw
        if self._compress is not None and len(raw) <= _DICT_LIMIT:
            packed, encoding, number = self._compress.compress(raw), ZSTD_DICT, self._dict_id
        else:
            packed, encoding, number = self._compress_plain.compress(raw), ZSTD, None
        return (encoding, number, packed) if len(packed) < len(raw) else (RAW, None, raw)

    def decode(self, encoding: int, number: int | None, stored: bytes) -> bytes:
        """The raw bytes.

        Raises:
            ValueError: the bytes are damaged or their dictionary is missing.
        """
        if encoding == RAW:
            return bytes(stored)
        try:
            if encoding == ZSTD:
                return self._plain.decompress(stored)
            return self._decompress[number or 0].decompress(stored)
        except (zstandard.ZstdError, KeyError, MemoryError) as error:
            raise ValueError(f"stored bytes do not decompress: {error}") from error


@cache
def default_codec() -> Codec:
    return Codec({BUILT_IN_DICTIONARY: built_in_dictionary()})

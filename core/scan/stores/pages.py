"""How content lies in a SQLite file so that all of it goes when it is deleted.

With `secure_delete` a page that becomes free is overwritten, but when rows move between pages that stay in use, copies
of their bytes may be left in the gap between them. A large row keeps its first bytes on such a page and the rest on
overflow pages of its own, which are never moved in part: so what is stored is padded until nothing but zeros stays
behind. Sizes are those of the file format's description (sqlite.org/fileformat2.html, "B-tree Cell Format").
"""

PAGE_BYTES = 4096
_OVERFLOW_BYTES = PAGE_BYTES - 4
_LOCAL_BYTES = (PAGE_BYTES - 12) * 32 // 255 - 23
"""What a row keeps on its own page when it is longer than that by a whole number of overflow pages."""
_SIZE_BYTES = 8


def padded(content: bytes) -> bytes:
    """Content as the one value of a row beside its rowid; all of the content lies on overflow pages."""
    whole = -(-(_SIZE_BYTES + len(content)) // _OVERFLOW_BYTES) * _OVERFLOW_BYTES
    lead = _LOCAL_BYTES - _head_bytes(_LOCAL_BYTES + whole)
    body = len(content).to_bytes(_SIZE_BYTES, "big") + content
    return bytes(lead) + body.ljust(whole, b"\0")


def content_of(value: bytes) -> bytes | None:
    """The content again; None when the value was not made by `padded`."""
    lead = len(value) % _OVERFLOW_BYTES
    size = int.from_bytes(value[lead : lead + _SIZE_BYTES], "big")
    content = value[lead + _SIZE_BYTES :][:size]
    return content if len(content) == size and padded(content) == value else None


def _head_bytes(row_bytes: int) -> int:
    """The row's head: its own size, the type of the rowid, and that of a value that fills the row."""
    for type_bytes in (2, 3, 4, 5):
        head = 2 + type_bytes
        if 2 * (row_bytes - head) + 12 < 1 << 7 * type_bytes:
            return head
    raise ValueError("longer than any row")

"""A set of ids that takes an eighth of a byte for each if they are close together, as ours are."""

from collections.abc import Iterator

#: Ids in one chunk of the set.
CHUNK_SIZE = 8_192


class Bitmap:
    """Whole numbers from 0."""

    def __init__(self) -> None:
        self._chunks: dict[int, bytearray] = {}

    def add(self, id: int) -> bool:
        """Add *id*; tell whether it is new."""
        chunk, at = divmod(id, CHUNK_SIZE)
        bits = self._chunks.setdefault(chunk, bytearray(CHUNK_SIZE // 8))
        byte, bit = at >> 3, 1 << (at & 7)
        is_new = not bits[byte] & bit
        bits[byte] |= bit
        return is_new

    def __contains__(self, id: int) -> bool:
        chunk, at = divmod(id, CHUNK_SIZE)
        bits = self._chunks.get(chunk)
        return bits is not None and bool(bits[at >> 3] & 1 << (at & 7))

    def __iter__(self) -> Iterator[int]:
        for chunk, bits in sorted(self._chunks.items()):
            for at in range(CHUNK_SIZE):
                if bits[at >> 3] & 1 << (at & 7):
                    yield chunk * CHUNK_SIZE + at

"""Requests in progress: how many of one identity, and of all together (hosting contract 4.2)."""


class Slots:
    """Counts of this process; an identity without a request in progress takes no room."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.in_progress = 0
        self._held: dict[bytes, int] = {}

    def held_by(self, digest: bytes) -> int:
        """Requests of one identity in progress."""
        return self._held.get(digest, 0)

    def enter(self, digest: bytes) -> None:
        """Takes a slot; whether there is one was asked before."""
        self.in_progress += 1
        self._held[digest] = self._held.get(digest, 0) + 1

    def leave(self, digest: bytes) -> None:
        """Gives one slot back."""
        self.in_progress -= 1
        left = self._held[digest] - 1
        if left:
            self._held[digest] = left
        else:
            del self._held[digest]

"""Tokens of metered budgets that calls in progress may come to owe (evidence contract 1.4)."""


class Reservations:
    """Counts of this process; what is not reserved takes no room."""

    def __init__(self) -> None:
        self._counts: dict[tuple[bytes, str], int] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, digest: bytes, budget: str) -> int:
        """How many tokens of one budget an identity has reserved."""
        return self._counts.get((digest, budget), 0)

    def add(self, digest: bytes, budget: str) -> None:
        """Reserves one."""
        self._counts[digest, budget] = self.count(digest, budget) + 1

    def remove(self, digest: bytes, budget: str) -> None:
        """Gives one back."""
        left = self._counts[digest, budget] - 1
        if left:
            self._counts[digest, budget] = left
        else:
            del self._counts[digest, budget]

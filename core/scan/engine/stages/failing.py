"""How a stage says that it cannot finish now (scan contract 5, 10.4)."""

from collections.abc import Sequence

from core.errors import PaperdeskError
from core.scan.answers.refusals import Code

RETRY_AFTER_MS = 5_000


class StageFailed(PaperdeskError):
    """A stage that waits for a call; nothing of it is kept. It is not tried again by itself."""

    def __init__(self, code: Code, errors: Sequence[str] = (), *, retry_after_ms: int = RETRY_AFTER_MS) -> None:
        super().__init__(code.sentence)
        self.code = code
        self.errors = tuple(errors)
        self.retry_after_ms = retry_after_ms

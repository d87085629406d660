"""What a stage is given beside the scan, and how it says that it cannot finish (scan contract 5, 7.2, 10.4, 10.8)."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import PaperdeskError
from core.scan.answers.refusals import Code
from core.scan.searching.port import Literature

RETRY_AFTER_MS = 5_000


@dataclass(frozen=True, slots=True)
class Turn:
    """`caller` is the scan whose requests take turns with those of others, by a digest."""

    literature: Literature
    caller: str
    is_last_try: bool = True
    """Whether no other try follows by itself."""


class StageFailed(PaperdeskError):
    """A stage that cannot finish; nothing of it is kept. One that `may_pass` is tried again by itself, once."""

    def __init__(self, code: Code, errors: Sequence[str] = (), *, may_pass: bool = False) -> None:
        super().__init__(code.sentence)
        self.code = code
        self.errors = tuple(errors)
        self.may_pass = may_pass

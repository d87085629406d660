"""Metric values as numbers, and metric names as callers write them (catalog contract 12.3)."""

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.catalog.models import MetricValue
from core.errors import Ambiguous, Entry, InvalidInput
from core.folds import key_fold, plain_fold

_MAX_SUGGESTIONS = 200
_MAX_CANDIDATES = 10
_MAX_ECHO_CHARS = 200
# A longer whole number is read as a float: no reader of JSON takes it for an exact integer.
_MAX_EXACT_DIGITS = 18
_NUMBER = re.compile(r"([+-]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(\.[0-9]*)?")

_ALIAS_GROUPS = tuple(
    frozenset(key_fold(name) for name in names)
    for names in (
        ("accuracy", "acc", "top1", "top-1", "top-1 accuracy", "percentage correct"),
        ("map", "ap", "mean average precision", "average precision", "box ap"),
        ("auroc", "auc", "roc auc", "auc-roc"),
        ("pass@1", "pass rate"),
        ("f1", "f1 score", "f-measure", "f-score"),
        ("em", "exact match"),
        ("ppl", "perplexity"),
        ("wer", "word error rate"),
        ("cer", "character error rate"),
        ("miou", "mean iou"),
        ("fid", "frechet inception distance"),
        ("bleu", "bleu score"),
        ("r@1", "recall@1"),
        ("score", "overall", "overall score", "average", "average score"),
        ("params", "number of params", "number of parameters", "#params"),
    )
)
_ALIASES = {name: group for group in _ALIAS_GROUPS for name in group}


def numeric_value(value: object) -> int | float | None:
    """The number of a metric value, else None; a `%` and a `± ...` tail are dropped, nothing is rescaled."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return _number_of_text(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number_of_text(text: str) -> int | float | None:
    plain = text.partition("±")[0].strip().removesuffix("%").rstrip()
    match = _NUMBER.fullmatch(plain)
    if match is None:
        return None
    sign, whole, fraction = match.groups(default="")
    whole = whole.replace(",", "")
    if not whole and fraction in ("", "."):
        return None
    if not fraction and len(whole) <= _MAX_EXACT_DIGITS:
        return int(sign + whole)
    number = float(sign + whole + fraction)
    return number if math.isfinite(number) else None


def clean_value(value: object) -> MetricValue:
    """A metric value as results show it: numeric text as a number, anything else as text."""
    number = numeric_value(value)
    if number is not None:
        return number
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


@dataclass(frozen=True, slots=True)
class MetricMatch:
    """A metric of a leaderboard and the name that a caller asked for it by."""

    asked: str
    name: str

    @property
    def is_exact(self) -> bool:
        """Whether the caller wrote the name as the leaderboard does."""
        return self.asked == self.name


class MetricNames:
    """The metric names of one leaderboard, ready to be matched; `benchmark_name` may be part of a request."""

    def __init__(self, names: Sequence[str], benchmark_name: str) -> None:
        self.names = tuple(names)
        self._folds = {name: key_fold(name) for name in self.names}
        self._benchmark = _words_pattern(benchmark_name)

    def match(self, asked: str) -> MetricMatch:
        """The one metric that a text names; raises `Ambiguous` for several and `InvalidInput` for none."""
        if asked in self._folds:
            return MetricMatch(asked, asked)
        hits = self._by_spelling(asked) or self._without_benchmark(asked) or self._by_containment(asked)
        if not hits:
            raise InvalidInput(
                f"This leaderboard has no metric '{asked[:_MAX_ECHO_CHARS]}'. Use one of its metric names.",
                suggestions=[Entry(name, name=name) for name in self.names[:_MAX_SUGGESTIONS]],
                all_of="metrics",
            )
        if len(hits) > 1:
            raise Ambiguous(
                f"Several metrics match '{asked[:_MAX_ECHO_CHARS]}'. Use the exact name of one.",
                candidates=[Entry(name, name=name) for name in hits[:_MAX_CANDIDATES]],
            )
        return MetricMatch(asked, hits[0])

    def match_all(self, asked: Sequence[str], parameter: str) -> tuple[MetricMatch, ...]:
        """Matches the names of one parameter, in order; two of them for one metric are refused."""
        matches: dict[str, MetricMatch] = {}
        for match in map(self.match, asked):
            if match.name in matches:
                raise InvalidInput(
                    f"{parameter} names the metric '{match.name}' twice, as '{matches[match.name].asked}' and "
                    f"'{match.asked}'. Name each metric once."
                )
            matches[match.name] = match
        return tuple(matches.values())

    def _by_spelling(self, asked: str) -> list[str]:
        """Hits of the first of four levels: exact, ignoring case, key fold, alias group."""
        plain, key = plain_fold(asked), key_fold(asked)
        aliases = _ALIASES.get(key, frozenset())
        return (
            self._where(lambda name: name == asked)
            or self._where(lambda name: plain_fold(name) == plain)
            or self._where(lambda name: key != "" and self._folds[name] == key)
            or self._where(lambda name: self._folds[name] in aliases)
        )

    def _without_benchmark(self, asked: str) -> list[str]:
        if self._benchmark is None:
            return []
        rest, taken = self._benchmark.subn(" ", unicodedata.normalize("NFKC", asked))
        rest = " ".join(rest.split()).strip(" -–—_:/,()[]")
        return self._by_spelling(rest) if taken and rest else []

    def _by_containment(self, asked: str) -> list[str]:
        key = key_fold(asked)
        requests = [request for request in {key, *_ALIASES.get(key, ())} if request]
        return self._where(
            lambda name: any(
                _contains(self._folds[name], request) or _contains(request, self._folds[name]) for request in requests
            )
        )

    def _where(self, holds: Callable[[str], bool]) -> list[str]:
        return [name for name in self.names if holds(name)]


def _contains(outer: str, inner: str) -> bool:
    return bool(inner) and f" {inner} " in f" {outer} "


def _words_pattern(text: str) -> re.Pattern[str] | None:
    """Finds the words of a text in a row, whatever stands between them; None for a text without words."""
    words = r"[\W_]+".join(re.escape(word) for word in key_fold(text).split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE) if words else None

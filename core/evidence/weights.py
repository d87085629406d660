"""How strong a claim is: grade caps, the composite weight and the balance around a claim (contract 3.1 to 3.3)."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import Final

from core.evidence.vocabulary import EvidenceGrade, Level, PaperType

WEIGHT_VERSION: Final = "v1"
SCALE: Final = 10_000
"""Weights have four decimals; stores hold them as whole numbers of this part."""

_PLACES = Decimal("0.0001")
_GRADE_SHARE, _RIGOR_SHARE, _STRENGTH_SHARE, _DESIGN_SHARE = map(Decimal, ("0.40", "0.25", "0.20", "0.15"))
_GRADES = MappingProxyType(
    {"high": Decimal("1.0"), "medium": Decimal("0.7"), "low": Decimal("0.4"), "speculative": Decimal("0.15")}
)
_LEVELS = MappingProxyType({"high": Decimal("1.0"), "medium": Decimal("0.6"), "low": Decimal("0.3")})
_LEVEL_MISSING = Decimal("0.45")
_DESIGNS = MappingProxyType(
    {
        "rct": Decimal("1.0"),
        "review_meta": Decimal("0.95"),
        "quasi_experimental": Decimal("0.8"),
        "correlational": Decimal("0.55"),
        "descriptive": Decimal("0.4"),
        "theoretical": Decimal("0.3"),
        "other": Decimal("0.3"),
        "commentary": Decimal("0.1"),
    }
)
_DESIGN_MISSING = Decimal("0.3")
_STRONGEST_FIRST: tuple[EvidenceGrade, ...] = ("high", "medium", "low", "speculative")
_CAPS_BY_TYPE: MappingProxyType[str, EvidenceGrade] = MappingProxyType(
    {"commentary": "low", "theoretical": "low", "descriptive": "medium"}
)


def capped_grade(
    grade: EvidenceGrade, paper_type: PaperType | None, *, is_located: bool, is_forecast: bool
) -> EvidenceGrade:
    """The grade after the caps; `is_located` says that a section, page or quote is named."""
    caps: list[EvidenceGrade] = [grade]
    if paper_type is not None and paper_type in _CAPS_BY_TYPE:
        caps.append(_CAPS_BY_TYPE[paper_type])
    if not is_located:
        caps.append("low")
    if is_forecast:
        caps.append("speculative")
    return max(caps, key=_STRONGEST_FIRST.index)


def composite_weight(
    grade: EvidenceGrade,
    rigor: Level | None,
    strength: Level | None,
    paper_type: PaperType | None,
    *,
    is_retracted: bool = False,
) -> Decimal:
    """Version v1 with four decimals, rounded half up; `grade` is the one after capping."""
    if is_retracted:
        return Decimal(0).quantize(_PLACES)
    design = _DESIGN_MISSING if paper_type is None else _DESIGNS[paper_type]
    total = (
        _GRADE_SHARE * _GRADES[grade]
        + _RIGOR_SHARE * _level(rigor)
        + _STRENGTH_SHARE * _level(strength)
        + _DESIGN_SHARE * design
    )
    return total.quantize(_PLACES, ROUND_HALF_UP)


def _level(level: Level | None) -> Decimal:
    return _LEVEL_MISSING if level is None else _LEVELS[level]


def scaled(weight: Decimal) -> int:
    """A weight as a whole number of ten-thousandths."""
    return int(weight * SCALE)


def balance(supporting: Iterable[int], contradicting: Iterable[int]) -> float | None:
    """(S - C) / (S + C + 1) of scaled weights, four decimals; None when nothing supports or contradicts."""
    pro, contra = list(supporting), list(contradicting)
    if not pro and not contra:
        return None
    s, c = Decimal(sum(pro)) / SCALE, Decimal(sum(contra)) / SCALE
    return float(((s - c) / (s + c + 1)).quantize(_PLACES, ROUND_HALF_UP))

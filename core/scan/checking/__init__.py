"""All rules for what a client sends: calls by themselves, and judgements beside the scan that they belong to.

Everything here is pure, and raises `core.scan.answers.refusals.Refused` with every problem found in one pass.
"""

from core.scan.checking.calls import Beside, proceed, result, scan_id_of, start, verify
from core.scan.checking.plans import gap
from core.scan.checking.ranking import Ranking, all_ranked, entries
from core.scan.checking.repeats import conflicts, fingerprints, refuse_conflict
from core.scan.checking.requests import ContinueRequest, ResultRequest, StartRequest, VerifyRequest
from core.scan.checking.screening import Screening, scores, united, unscored
from core.scan.checking.windows import scan_window, window_days

__all__ = [
    "Beside",
    "ContinueRequest",
    "Ranking",
    "ResultRequest",
    "Screening",
    "StartRequest",
    "VerifyRequest",
    "all_ranked",
    "conflicts",
    "entries",
    "fingerprints",
    "gap",
    "proceed",
    "refuse_conflict",
    "result",
    "scan_id_of",
    "scan_window",
    "scores",
    "start",
    "united",
    "unscored",
    "verify",
    "window_days",
]

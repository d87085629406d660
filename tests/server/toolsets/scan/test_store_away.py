"""A store of scans that is away: every way to it says so, in the words of its family, and no more."""

from pathlib import Path

import pytest

from core.scan.answers.refusals import Code
from tests.core.scan.sent import sent_entry, sent_gap, sent_score
from tests.scan_service import ERAS, ScanClient, fresh_id, serve_scans

AWAY = Code.STORE_UNAVAILABLE


@pytest.mark.parametrize("era", ERAS)
def test_a_store_that_is_away_is_told_by_calls_documents_and_deletion(
    sample_directory: Path, tmp_path: Path, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    # scan A3
    place = tmp_path / "a-planted-name"
    place.mkdir()
    scan_id = fresh_id()
    with serve_scans(sample_directory, scan_store=f"sqlite:{place}") as http:
        client = ScanClient(http, era)
        answers = [
            client.start(scan_id),
            client.call("scan_continue", scan_id=scan_id),
            client.call("scan_continue", scan_id=scan_id, screen_scores=[sent_score()]),
            client.call("scan_continue", scan_id=scan_id, gap_queries=[sent_gap()]),
            client.call("scan_verify", scan_id=scan_id, ranked_entries=[sent_entry()]),
            client.call("scan_result", scan_id=scan_id),
        ]
        for answer in answers:
            assert (answer["status"], answer["phase"]) == ("failed", "unknown")
            assert (answer["payload"]["code"], answer["payload"]["recovery"]) == (AWAY.value, "retry_same_call")
        document = client.read(f"scan-run://{scan_id}/evidence.json")["error"]
        assert document["data"]["code"] == AWAY.value
        deleted = client.delete(scan_id)
    assert (deleted.status_code, deleted.headers["retry-after"]) == (503, "1")
    assert (deleted.json()["error"], set(deleted.json())) == (AWAY.value, {"error", "message"})
    assert not any(place.name in text for text in (str(answers), str(document), deleted.text, caplog.text))
    assert "crashed" not in caplog.text

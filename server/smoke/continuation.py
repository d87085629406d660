"""Reading on: the second chunk joins the first, and a cursor serves its own paper and nothing that was changed."""

from server.smoke.health import backend_kind
from server.smoke.target import Json, Listed, Target, error_code
from server.smoke.verdict import Failed, NotRun, require, short

SAMPLE_PAPER = "1706.03762"


def reads_on(target: Target) -> None:
    """Two chunks of a long text, and the two refusals of a cursor that is not the paper's."""
    endpoint = target.endpoint("catalog")
    who = target.tag("reading")
    paper = target.options.paper or SAMPLE_PAPER
    first = _first_chunk(target, endpoint, paper, who)
    cursor = str(first.get("next_cursor") or "")
    if not first.get("truncated") or not cursor:
        raise _unfit(target, f"{paper} fits one chunk")
    second = _read(target, endpoint, {"paper": paper, "cursor": cursor}, who)
    require(not second.get("isError"), f"read_paper: the second chunk failed with {short(error_code(second))}")
    _joins(first, _chunk(second))
    _refused(target, endpoint, {"paper": paper, "cursor": _changed(cursor)}, who, "cursor_invalid")
    other = _another_paper(target, endpoint, str(first.get("canonical", paper)), who)
    _refused(target, endpoint, {"paper": other, "cursor": cursor}, who, "cursor_mismatch")


def _first_chunk(target: Target, endpoint: Listed, paper: str, who: dict[str, str]) -> Json:
    result = _read(target, endpoint, {"paper": paper}, who)
    if not result.get("isError"):
        return _chunk(result)
    raise _unfit(target, f"{paper} cannot be read ({short(error_code(result))})")


def _unfit(target: Target, why: str) -> Failed | NotRun:
    """The sample and a paper that the operator named must serve; any other catalog may lack the usual one."""
    if target.options.paper is None and backend_kind(target) != "sample":
        return NotRun(f"{why}; name a paper with a long text with --paper")
    return Failed(f"read_paper: {why}")


def _joins(first: Json, second: Json) -> None:
    end = first.get("offset", 0) + first.get("bytes", 0)
    require(first.get("bytes") == len(str(first.get("markdown", "")).encode()), "read_paper: bytes are not its text's")
    require(second.get("offset") == end, f"read_paper: the second chunk starts at {second.get('offset')}, not at {end}")
    require(bool(second.get("markdown")), "read_paper: the second chunk is empty")


def _refused(target: Target, endpoint: Listed, arguments: Json, who: dict[str, str], code: str) -> None:
    result = _read(target, endpoint, arguments, who)
    got = error_code(result) if result.get("isError") else "a chunk"
    require(got == code, f"read_paper: {short(got)} instead of {code}")


def _another_paper(target: Target, endpoint: Listed, paper: str, who: dict[str, str]) -> str:
    params = {"name": "list_papers", "arguments": {"limit": 5}}
    listed = target.result(endpoint, "tools/call", params, era="2025", headers=who).get("structuredContent", {})
    for row in listed.get("items", ()):
        reference = row.get("arxiv_id") or row.get("id")
        if reference and str(reference) != paper:
            return str(reference)
    raise NotRun("the catalog lists no second paper")


def _changed(cursor: str) -> str:
    """One character in the middle is another one: still of a cursor's form, no longer of its signature."""
    middle = len(cursor) // 2
    return cursor[:middle] + ("A" if cursor[middle] != "A" else "B") + cursor[middle + 1 :]


def _read(target: Target, endpoint: Listed, arguments: Json, who: dict[str, str]) -> Json:
    params = {"name": "read_paper", "arguments": arguments}
    return target.result(endpoint, "tools/call", params, era="2025", headers=who)


def _chunk(result: Json) -> Json:
    content = result.get("structuredContent")
    if not isinstance(content, dict):
        raise Failed("read_paper: no structured content")
    return content

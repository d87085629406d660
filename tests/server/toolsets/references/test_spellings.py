"""Every tool that takes arXiv ids reads the same spellings alike (references contract, 2.6)."""

import pytest

from tests.references_desk import Tools

SPELLINGS = {
    "2401.12345": "2401.12345",
    "2401.12345v2": "2401.12345",
    "2401.12345V2": "2401.12345",
    "arXiv:2401.12345": "2401.12345",
    "arxiv:1810.04805": "1810.04805",
    "ARXIV: 1810.04805v1": "1810.04805",
    "arXiv 2401.12345": "2401.12345",
    "arXiv.1706.03762": "1706.03762",
    "2401.12345.": "2401.12345",
    "[arXiv:2401.12345]": "2401.12345",
    "arXiv:2401.12345 [cs.LG]": "2401.12345",
    "arXiv:0706.0001v1 [q-bio.CB] 1 Jun 2007": "0706.0001",
    "10.48550/arXiv.1706.03762": "1706.03762",
    "https://doi.org/10.48550/arXiv.2401.12345v2": "2401.12345",
    "10.48550/arxiv.math/0309136": "math/0309136",
    "https://arxiv.org/abs/hep-th/9408099": "hep-th/9408099",
    "https://arxiv.org/pdf/1706.03762v7.pdf": "1706.03762",
    "http://www.arxiv.org/pdf/1706.03762": "1706.03762",
    "https://arxiv.org/html/2401.12345v1": "2401.12345",
    "https://arxiv.org/format/1706.03762": "1706.03762",
    "https://export.arxiv.org/abs/1706.03762?context=cs": "1706.03762",
    "arxiv.org/abs/1810.04805": "1810.04805",
    "https://alphaxiv.org/abs/1706.03762": "1706.03762",
    "https://ar5iv.labs.arxiv.org/html/1706.03762": "1706.03762",
    "https://huggingface.co/papers/1706.03762": "1706.03762",
    "hf.co/papers/1706.03762": "1706.03762",
    "https://arxiv.org:8443/abs/1706.03762": "1706.03762",
    "https://www.semanticscholar.org/arxiv/1706.03762": "1706.03762",
}
TOOLS = [
    "resolve_paper",
    "metadata_only",
    "fetch_paper",
    "info",
    "paper_text",
    "paper_tex_source",
    "paper_pdf_path",
]


# references A18
@pytest.mark.parametrize("tool", TOOLS)
async def test_all_spellings_of_an_id_are_one_identity(alone: Tools, tool: str) -> None:
    read = {}
    for ref in SPELLINGS:
        outcome = await alone.call(tool, {"ref": ref})
        assert outcome.structured is not None
        assert outcome.structured["ref"] == ref
        read[ref] = outcome.structured["canonical"]
    assert read == {ref: f"arxiv:{id}" for ref, id in SPELLINGS.items()}
    assert alone.world.asked == []


async def test_batches_and_exports_read_them_alike(alone: Tools) -> None:
    refs = list(SPELLINGS)
    batch = await alone.good("batch_fetch", refs=refs)
    assert [row["ref"] for row in batch["results"]] == refs
    assert all(row.get("error", {}).get("code") != "INVALID_REF" for row in batch["results"])
    exported = (await alone.good("bibtex_export", refs=refs))["entries"]
    assert [entry["safekey"].startswith("arxiv_") for entry in exported] == [True] * len(refs)

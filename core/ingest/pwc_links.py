"""Archive file links-between-papers-and-code: one code repository of one paper a row."""

from core.catalog.models import EntityKind
from core.errors import InvalidInput
from core.ingest import fields
from core.ingest.facts import PaperFacts, RepositoryFacts
from core.ingest.fields import Row, known
from core.ingest.pwc_papers import paper_identity
from core.ingest.staging import Input

_FRAMEWORK_NAMES = {
    "pytorch": "PyTorch",
    "tf": "TensorFlow",
    "jax": "JAX",
    "mindspore": "MindSpore",
    "paddle": "PaddlePaddle",
    "mxnet": "MXNet",
    "torch": "Torch",
    "caffe2": "Caffe2",
    "cntk": "CNTK",
    "chainer": "Chainer",
}
_NO_FRAMEWORK = frozenset({"none", "null", "unknown"})


def framework_natural(word: str, sink: Input) -> str:
    """The framework that a repository's word stands for."""
    return sink.mention(EntityKind.FRAMEWORK, _FRAMEWORK_NAMES.get(word.lower(), word))


def read_link(row: Row, sink: Input, number: int) -> None:
    """Stages one repository as a fact about its paper."""
    repository = fields.url(row, "repo_url")
    if repository is None:
        raise InvalidInput("no repository address")
    identity = paper_identity(row, sink, url_key="paper_url", arxiv_key="paper_arxiv_id")
    for key in ("paper_url_abs", "paper_url_pdf"):
        link = fields.url(row, key)
        if link and not identity.arxiv_id and "arxiv.org" in link:
            identity.add_url(link)
    if not identity.idents:
        raise InvalidInput("no identifier")
    word = fields.name(row, "framework")
    if word is not None and word.lower() in _NO_FRAMEWORK:
        word = None
    repository_facts = RepositoryFacts(url=repository, is_official=bool(fields.flag(row, "is_official")))
    repository_facts.update(
        known(
            framework=word,
            mentioned_in_paper=fields.flag(row, "mentioned_in_paper"),
            mentioned_in_repository=fields.flag(row, "mentioned_in_github"),
        )  # type: ignore[typeddict-item]
    )
    facts = PaperFacts(repositories=[repository_facts])
    facts.update(
        known(
            slug=identity.slug,
            title=fields.name(row, "paper_title"),
            url_abs=fields.url(row, "paper_url_abs"),
            url_pdf=fields.url(row, "paper_url_pdf"),
        )  # type: ignore[typeddict-item]
    )
    if word is not None:
        facts["frameworks"] = [framework_natural(word, sink)]
    sink.paper(identity, facts)

"""Which sources a scan of this deployment asks, and why it does not ask the others (scan contract 7.2, 10.10)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from core.scan.models import Query
from core.scan.vocabulary import Domain, SourceName
from core.sources.bundle import Sources
from core.sources.configuration import Rulebook, SourceChoices, build_sources
from core.sources.service import Service

WIRE_NAMES: dict[SourceName, str] = {
    "openalex": "openalex",
    "s2": "semantic_scholar",
    "arxiv": "arxiv",
    "crossref": "crossref",
    "datacite": "datacite",
}
REASONS = {
    "offline": "this deployment asks no source outside",
    "no_contact": "this deployment has no contact address, without which no source is asked",
    "off": "it is switched off in this deployment",
}


def scan_rulebook(choices: SourceChoices, named: Collection[str]) -> Rulebook:
    """The rules of sources for scans: as the operator chose, and Semantic Scholar on where scans name `s2`."""
    on = (*choices.on, WIRE_NAMES["s2"]) if "s2" in named else choices.on
    return build_sources(replace(choices, on=tuple(dict.fromkeys(on))))


@dataclass(frozen=True, slots=True)
class Reach:
    """The readers, of which only those are asked that scans name; `datacite` and the DOI system go with `crossref`."""

    sources: Sources
    named: frozenset[str]

    def has(self, source: SourceName) -> bool:
        """Whether a live source is asked here."""
        return self.reader(source) is not None

    def reader(self, source: SourceName) -> Service | None:
        """The reader of a live source, if it is asked."""
        if ("crossref" if source == "datacite" else source) not in self.named:
            return None
        readers: dict[SourceName, Service | None] = {
            "openalex": self.sources.openalex,
            "s2": self.sources.semantic_scholar,
            "arxiv": self.sources.arxiv,
            "crossref": self.sources.crossref,
            "datacite": self.sources.datacite,
        }
        return readers.get(source)

    def why_not(self, source: SourceName) -> str:
        """A word for why a live source is not asked: `offline`, `no_contact` or `off`."""
        off = self.sources.off.get(WIRE_NAMES[source])
        if source not in self.named or off is None:
            return "off"
        by_setting = {"PAPERDESK_OFFLINE": "offline", "PAPERDESK_CONTACT_EMAIL": "no_contact"}
        return by_setting.get(off.required_env or "", "off")

    def auth(self, source: SourceName) -> str:
        """`key` or `anon`."""
        reader = None if source == "catalog" else self.reader(source)
        return "key" if reader is not None and reader.has_key else "anon"


def routing(domain: Domain, queries: Sequence[Query]) -> tuple[SourceName, ...]:
    """The search sources of a plan, in routing order."""
    base: tuple[SourceName, ...] = ("catalog", "openalex", "s2")
    with_arxiv = domain == "cs" or (domain == "general" and any(query.type == "method" for query in queries))
    return (*base, "arxiv") if with_arxiv else base

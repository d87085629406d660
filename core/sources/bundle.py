"""All sources of a process, each with its reader, or with the reason why it is not asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.errors import SourceNotEnabled
from core.http.polite import PoliteClient
from core.http.rules import Off, SourceRules
from core.sources.ar5iv import Ar5iv
from core.sources.arxiv import Arxiv
from core.sources.arxiv_html import ArxivHtml
from core.sources.arxiv_src import ArxivSrc
from core.sources.configuration import Rulebook
from core.sources.crossref import Crossref
from core.sources.datacite import Datacite
from core.sources.doaj import Doaj
from core.sources.doi_ra import DoiRa
from core.sources.europe_pmc import EuropePmc
from core.sources.ncbi import Ncbi
from core.sources.openalex import Openalex
from core.sources.semantic_scholar_lists import SemanticScholarLists
from core.sources.unpaywall import Unpaywall

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Sources:
    """The readers; None is one that this deployment does not ask, and `off` says why, by the source's wire name."""

    crossref: Crossref | None
    unpaywall: Unpaywall | None
    arxiv: Arxiv | None
    arxiv_html: ArxivHtml | None
    ar5iv: Ar5iv | None
    arxiv_src: ArxivSrc | None
    openalex: Openalex | None
    datacite: Datacite | None
    ncbi: Ncbi | None
    semantic_scholar: SemanticScholarLists | None
    europe_pmc: EuropePmc | None
    doaj: Doaj | None
    doi_ra: DoiRa | None
    off: Mapping[str, Off]

    def not_enabled(self, key: str) -> SourceNotEnabled:
        """The failure of a call that needs a source that is off; `key` is the wire name."""
        off = self.off[key]
        return SourceNotEnabled(off.message, source=key, required_env=off.required_env)


def open_sources(client: PoliteClient, rulebook: Rulebook) -> Sources:
    """The readers that the rules allow; nothing is asked."""

    def reader(kind: Callable[[PoliteClient, SourceRules], S], name: str) -> S | None:
        rules = rulebook[name]
        return kind(client, rules) if rules.off is None else None

    return Sources(
        crossref=reader(Crossref, "crossref"),
        unpaywall=reader(Unpaywall, "unpaywall"),
        arxiv=reader(Arxiv, "arxiv"),
        arxiv_html=reader(ArxivHtml, "arxiv-html"),
        ar5iv=reader(Ar5iv, "ar5iv"),
        arxiv_src=reader(ArxivSrc, "arxiv-src"),
        openalex=reader(Openalex, "openalex"),
        datacite=reader(Datacite, "datacite"),
        ncbi=reader(Ncbi, "ncbi"),
        semantic_scholar=reader(SemanticScholarLists, "semantic_scholar"),
        europe_pmc=reader(EuropePmc, "europe-pmc"),
        doaj=reader(Doaj, "doaj"),
        doi_ra=reader(DoiRa, "doi-ra"),
        off={rules.key: rules.off for name, rules in rulebook.rules.items() if rules.off and name == rules.key},
    )

"""The table of sources: where each is, what it wants and how fast it may be asked (references contract 4.4, 5.5)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.clock import Clock
from core.http.client import Exchange
from core.http.rules import Pace, Throttle, Tightening, default_throttled, never_tightened, no_defect
from core.sources.habits import (
    arxiv_throttled,
    crossref_tightened,
    ncbi_throttled,
    openalex_defect,
    openalex_throttled,
)
from core.sources.hosts import OA_PUBLISHER_HOSTS

ARXIV = Pace("arxiv", gap_s=3.0, in_flight=1, queue_max=4)
ATOM = "application/atom+xml, application/xml;q=0.9"
HTML = "text/html, application/xhtml+xml"


@dataclass(frozen=True, slots=True)
class Source:
    """A row. `name` is unique; `key` is the wire's name, `setting` the one in names of settings.

    `bare_paces` hold without the contact or the key that `paces` are for. `body` chooses the size bounds.
    """

    name: str
    setting: str
    label: str
    base_url: str
    hosts: tuple[str, ...]
    paces: tuple[Pace, ...]
    key: str = ""
    body: Literal["data", "html", "eprint", "pdf"] = "data"
    accept: str = "application/json"
    bare_paces: tuple[Pace, ...] = ()
    bare_without: Literal["contact", "key", ""] = ""
    contact_parameter: str = ""
    needs_contact: bool = False
    key_name: str = ""
    key_place: Literal["parameter", "header"] = "parameter"
    key_setting: str = ""
    is_opt_in: bool = False
    is_local_only: bool = False
    whole_s: float | None = None
    retries: int | None = None
    max_redirects: int | None = None
    always: tuple[tuple[str, str], ...] = ()
    denied: frozenset[int] = frozenset({401, 403})
    leaving_means_absent: bool = False
    throttled: Callable[[Exchange, Clock], Throttle | None] = default_throttled
    tightened: Callable[[Exchange], Tightening | None] = never_tightened
    is_our_defect: Callable[[Exchange], bool] = no_defect
    version: int = 1

    @property
    def wire_key(self) -> str:
        """The source's name on the wire, which several rows may share."""
        return self.key or self.name


_ARXIV_HOSTS = ("arxiv.org", "export.arxiv.org", "*.arxiv.org")

TABLE = (
    Source(
        "crossref",
        "CROSSREF",
        "Crossref",
        "https://api.crossref.org",
        ("api.crossref.org", "*.crossref.org"),
        (Pace("crossref", 0.2, 3, lane="one"), Pace("crossref", 0.4, 3, lane="list")),
        bare_paces=(Pace("crossref", 0.2, 1, lane="one"), Pace("crossref", 1.0, 1, lane="list")),
        bare_without="contact",
        contact_parameter="mailto",
        tightened=crossref_tightened,
    ),
    Source(
        "unpaywall",
        "UNPAYWALL",
        "Unpaywall",
        "https://api.unpaywall.org",
        ("api.unpaywall.org",),
        (Pace("unpaywall", 0.2, 3, a_day=90_000),),
        contact_parameter="email",
        needs_contact=True,
        denied=frozenset({401, 403, 422}),
    ),
    Source(
        "arxiv",
        "ARXIV_API",
        "arXiv",
        "https://export.arxiv.org",
        _ARXIV_HOSTS,
        (ARXIV,),
        accept=ATOM,
        whole_s=10.0,
        retries=0,
        throttled=arxiv_throttled,
    ),
    Source(
        "arxiv-pdf",
        "ARXIV_PDF",
        "arXiv",
        "https://arxiv.org",
        _ARXIV_HOSTS,
        (ARXIV,),
        key="arxiv",
        body="pdf",
        accept="application/pdf",
        is_local_only=True,
        throttled=arxiv_throttled,
    ),
    Source(
        "arxiv-src",
        "ARXIV_SRC",
        "arXiv's source server",
        "https://export.arxiv.org",
        _ARXIV_HOSTS,
        (ARXIV,),
        body="eprint",
        accept="*/*",
        throttled=arxiv_throttled,
    ),
    Source(
        "arxiv-html",
        "ARXIV_HTML",
        "arXiv's HTML server",
        "https://arxiv.org",
        _ARXIV_HOSTS,
        (ARXIV,),
        body="html",
        accept=HTML,
        throttled=arxiv_throttled,
    ),
    Source(
        "ar5iv",
        "AR5IV",
        "ar5iv",
        "https://ar5iv.labs.arxiv.org",
        ("ar5iv.labs.arxiv.org",),
        (ARXIV,),
        body="html",
        accept=HTML,
        leaving_means_absent=True,
    ),
    Source(
        "openalex",
        "OPENALEX",
        "OpenAlex",
        "https://api.openalex.org",
        ("api.openalex.org",),
        (Pace("openalex", 0.2, 4),),
        contact_parameter="mailto",
        key_name="api_key",
        key_setting="PAPERDESK_OPENALEX_API_KEY",
        throttled=openalex_throttled,
        is_our_defect=openalex_defect,
    ),
    Source(
        "datacite",
        "DATACITE",
        "DataCite",
        "https://api.datacite.org",
        ("api.datacite.org",),
        (Pace("datacite", 0.3, 2),),
    ),
    Source(
        "ncbi",
        "NCBI",
        "NCBI",
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        ("eutils.ncbi.nlm.nih.gov",),
        (Pace("ncbi", 0.11, 3),),
        bare_paces=(Pace("ncbi", 0.334, 1),),
        bare_without="key",
        contact_parameter="email",
        key_name="api_key",
        key_setting="PAPERDESK_NCBI_API_KEY",
        always=(("tool", "paperdesk"),),
        throttled=ncbi_throttled,
    ),
    Source(
        "semantic_scholar",
        "SEMANTIC_SCHOLAR",
        "Semantic Scholar",
        "https://api.semanticscholar.org/graph/v1",
        ("api.semanticscholar.org",),
        (Pace("semantic_scholar", 1.0, 1),),
        bare_paces=(Pace("semantic_scholar", 3.0, 1),),
        bare_without="key",
        key_name="x-api-key",
        key_place="header",
        key_setting="PAPERDESK_S2_API_KEY",
        is_opt_in=True,
    ),
    Source(
        "europe-pmc",
        "EUROPE_PMC",
        "Europe PMC",
        "https://www.ebi.ac.uk/europepmc/webservices/rest",
        ("www.ebi.ac.uk",),
        (Pace("europe-pmc", 0.2, 2),),
        is_opt_in=True,
    ),
    Source(
        "doaj",
        "DOAJ",
        "DOAJ",
        "https://doaj.org",
        ("doaj.org", "*.doaj.org"),
        (Pace("doaj", 0.5, 1),),
        is_opt_in=True,
    ),
    Source(
        "doi-ra",
        "DOI_RA",
        "The DOI system",
        "https://doi.org",
        ("doi.org",),
        (Pace("doi-ra", 0.3, 2),),
        max_redirects=0,
    ),
    Source(
        "oa-publisher",
        "",
        "The open copy's host",
        "",
        OA_PUBLISHER_HOSTS,
        (Pace("oa-publisher", 1.0, 1, is_per_host=True),),
        body="pdf",
        accept="application/pdf",
        is_local_only=True,
    ),
)
"""Tier 1 is on by default, what is opt-in is not."""

SOURCE_KEYS = tuple(dict.fromkeys(row.wire_key for row in TABLE))
"""What a source may be called in a setting, in the order of the table."""

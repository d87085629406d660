"""What this deployment can do, and whether it is well (references contract, 3.15, 3.16, 10.5)."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio.to_thread

from core.http.rules import SourceRules
from core.references.citations.queries import QUERIES_MAX
from core.references.copies import REFS_MAX
from core.references.exporting import REFS_MAX as EXPORTS_MAX
from core.references.results import HealthAnswer, ProfileAnswer
from core.references.room import SCHEMA_VERSION, Room
from core.references.texts import CHARS_DEFAULT
from core.sources.table import SOURCE_KEYS

IsCooling = Callable[[SourceRules], Awaitable[bool]]
"""Whether a source is left alone at the moment."""

PER_SECOND = 5.0
LOCAL_TOOLS = ("doiget_tag", "doiget_annotate")
_METADATA = ("openalex", "semantic_scholar", "doaj", "datacite", "europe-pmc")
_TIER_1 = ("arxiv", "crossref", "unpaywall")
_NEVER_ASKED_HERE = frozenset({"doi-ra"})


class About:
    """Answers without asking anyone but the catalog, which lies at hand."""

    def __init__(
        self,
        room: Room,
        *,
        version: str,
        deadlines_s: tuple[float, float],
        chars_max: int,
        has_contact: bool,
        is_cooling: IsCooling,
    ) -> None:
        self._room = room
        self._version = version
        self._deadlines_s = deadlines_s
        self._chars_max = chars_max
        self._has_contact = has_contact
        self._is_cooling = is_cooling

    async def profile(self) -> ProfileAnswer:
        """The sources that are on, and the largest of everything."""
        off = self._room.sources.off
        tier_2 = [key for key in _METADATA if key not in off]
        keys = [key for key in SOURCE_KEYS if key not in _NEVER_ASKED_HERE]
        usual_s, long_s = self._deadlines_s
        return ProfileAnswer(
            ok=True,
            oa_enabled=True,
            metadata_sources=tier_2,
            tdm_enabled=False,
            tdm_elsevier=False,
            tdm_aps=False,
            tdm_springer=False,
            tdm_ieee=False,
            rate_limit_per_sec=PER_SECOND,
            tier_1=[key for key in _TIER_1 if key not in off],
            tier_2=tier_2,
            tier_3=[],
            mode=self._room.mode,
            contact_configured=self._has_contact,
            sources=[await self._source(key) for key in keys],
            limits={
                "batch": REFS_MAX,
                "export": EXPORTS_MAX,
                "citations": QUERIES_MAX,
                "deadline_s": usual_s,
                "deadline_long_s": long_s,
                "max_chars_default": CHARS_DEFAULT,
                "max_chars_cap": self._chars_max,
            },
            unavailable_tools=list(LOCAL_TOOLS) if self._room.keeping is None else [],
        )

    async def health(self) -> HealthAnswer:
        """Versions and what the catalog is; a hosted service has no store, and no store is made here."""
        keeping = self._room.keeping
        is_writable = keeping is not None and await anyio.to_thread.run_sync(keeping.store.is_writable)
        method = "hosted" if keeping is None else "unknown"
        capabilities = self._room.shelf.backend.capabilities()
        unknown = dict.fromkeys(("binary", "manifest", "manifest_matches", "update", "check"))
        return HealthAnswer(
            ok=True,
            version=self._version,
            schema_version=SCHEMA_VERSION,
            store_writable=is_writable,
            build={"version": self._version, "channel": "release", "method": method, **unknown},
            mode=self._room.mode,
            catalog={
                "backend": capabilities.kind,
                "papers": capabilities.counts.get("papers"),
                "updated_at": capabilities.as_of,
            },
        )

    async def _source(self, key: str) -> dict[str, Any]:
        rules = self._room.rulebook[key]
        pace = rules.paces[0]
        row: dict[str, Any] = {"key": key, "enabled": rules.off is None}
        if rules.off is not None and rules.off.required_env:
            row["required_env"] = rules.off.required_env
        cooling = rules.off is None and await self._is_cooling(rules)
        return {
            **row,
            "min_gap_ms": round(pace.gap_s * 1000),
            "in_flight": pace.in_flight,
            "cooling_down": cooling,
        }

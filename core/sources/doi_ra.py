"""The DOI system itself: which agency registered a DOI, or that there is no such DOI (scan contract 7.13, 10.8)."""

from core.errors import NotFound
from core.http.remembering import Kind
from core.sources import fields
from core.sources.service import Service


class DoiRa(Service):
    """Asked about DOIs that no agency which is read here knows."""

    async def agency(self, doi: str, *, caller: str) -> str:
        """The name of the agency, as in `Crossref`; raises `NotFound` where there is no such DOI."""
        prefix, _, suffix = fields.folded_doi(doi).partition("/")
        found = await self._get(("ra", prefix, suffix), caller=caller, kind=Kind.AGENCY, operation="agency")
        given = found.json()
        row = fields.as_row(next(iter(given), None) if isinstance(given, list) else given)
        agency = fields.text(row, "RA")
        if agency is not None:
            return agency
        if fields.text(row, "status") is None:
            raise self._drift("RA")
        raise NotFound(f"{self._rules.label} has nothing under this identifier.")

"""Tools on digests."""

from typing import Annotated

from pydantic import Field

from core.evidence.results import Digest, DigestPage
from core.evidence.service import DIGESTS_LIMIT, Evidence
from server.registry import DateText
from server.toolsets.evidence.parameters import Limit


async def list_digests(services: Evidence, limit: Limit = DIGESTS_LIMIT) -> DigestPage:
    """Lists the dates of the digests of new papers, newest first.

    For the text of one use get_digest.
    """
    return await services.list_digests(limit=limit)


async def get_digest(
    services: Evidence, date: Annotated[DateText, Field(description="Day of the digest, YYYY-MM-DD")]
) -> Digest:
    """Gives the text of one digest as it was written, and the papers that it names.

    For the dates that there are use list_digests.
    """
    return await services.get_digest(date=date)

"""Parameters that several tools of the references family share."""

from typing import Annotated

from pydantic import Field

Ref = Annotated[
    str,
    Field(description="DOI, arXiv id, PubMed id (pmid:N), PMC id, OpenAlex id, or a URL of one; never a title"),
]
Doi = Annotated[str, Field(description="DOI or its URL; the DOI of an arXiv paper counts")]
ArxivRef = Annotated[str, Field(description="arXiv id or its URL; a DOI with follow_link only")]
StoredRef = Annotated[str, Field(description="DOI, arXiv id, or a URL of one")]
Refs = Annotated[list[str], Field(max_length=100, description="Up to 100 references; one that is malformed fails all")]
ExportRefs = Annotated[list[str], Field(max_length=200, description="Up to 200 references; 20 with resolve")]
IncludeOa = Annotated[bool, Field(description="Also look up where an open copy is")]
CheckRetraction = Annotated[bool, Field(description="Ask every source that may know of a retraction")]
DryRun = Annotated[bool, Field(description="Say what would be asked, and ask nothing")]
Force = Annotated[bool, Field(description="Ask again although the same failed a moment ago; at most 10 an hour")]
ListLimit = Annotated[int, Field(ge=0, description="Most rows; 0 means 50, above 200 acts as 200")]
MaxChars = Annotated[int, Field(ge=0, description="Most characters of text; above 60000 acts as 60000")]
Offset = Annotated[int, Field(ge=0, description="Where to start: the next_offset of the part before")]
FollowLink = Annotated[bool, Field(description="Read the arXiv version of a DOI")]
Resolve = Annotated[bool, Field(description="Look up what is not held here; at most 20 references then")]
CandidateLimit = Annotated[int, Field(ge=0, le=255, description="Most candidates; above 50 acts as 50")]

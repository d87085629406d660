"""Parameters that several catalog tools share (catalog contract, section 4)."""

from typing import Annotated, Literal

from pydantic import Field

from server.registry import DateText

Paper = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description="arXiv id, DOI, PubMed id, catalog id, paper URL or title",
    ),
]
Page = Annotated[int, Field(ge=1, le=100, description="1-based page")]
Limit = Annotated[int, Field(ge=1, le=25, description="Rows per page")]
PublishedAfter = Annotated[DateText, Field(description="First publication day, inclusive")]
PublishedBefore = Annotated[DateText, Field(description="Last publication day, inclusive")]
OrderDirection = Annotated[
    Literal["asc", "desc"], Field(description="Direction of the first sort key; missing values stay last")
]
OfficialOnly = Annotated[bool, Field(description="true keeps only papers with an official implementation")]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Area = Annotated[str, Field(min_length=1, max_length=200, description="Research area, by exact name or id")]

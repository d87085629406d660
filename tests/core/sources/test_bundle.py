"""Which readers a process has, and why not the others."""

from dataclasses import fields

import pytest

from core.errors import Denial, SourceDenied
from core.http.rules import Off
from core.sources.bundle import Sources, open_sources
from core.sources.configuration import SourceChoices
from core.sources.table import TABLE
from tests.polite_desk import CONTACT, desk_in

READERS = [field.name for field in fields(Sources) if field.name != "off"]


async def opened(choices: SourceChoices) -> Sources:
    async with desk_in(choices) as desk:
        return open_sources(desk.client, desk.sources)


def absent(sources: Sources) -> list[str]:
    return [name for name in READERS if getattr(sources, name) is None]


async def test_what_is_not_switched_on_is_off_with_the_setting_that_would_enable_it() -> None:
    sources = await opened(SourceChoices(contact=CONTACT, off=("crossref",)))
    assert absent(sources) == ["crossref", "semantic_scholar", "europe_pmc", "doaj"]
    assert sources.off["crossref"] == Off(
        "Crossref is switched off in this deployment; PAPERDESK_SOURCES_OFF names it.", "PAPERDESK_SOURCES_OFF"
    )
    assert sources.off["doaj"] == Off(
        "DOAJ is not switched on in this deployment; PAPERDESK_SOURCES_ON switches it on.", "PAPERDESK_SOURCES_ON"
    )
    failure = sources.not_enabled("doaj")
    assert isinstance(failure, SourceDenied)
    assert (failure.message, failure.required_env, failure.denial) == (
        "DOAJ is not switched on in this deployment; PAPERDESK_SOURCES_ON switches it on.",
        "PAPERDESK_SOURCES_ON",
        Denial("capability_not_granted", "doaj"),
    )


# references A76
async def test_without_a_contact_hosted_has_no_reader_and_local_all_but_unpaywall() -> None:
    hosted = await opened(SourceChoices())
    assert absent(hosted) == READERS
    assert {off.required_env for key, off in hosted.off.items() if key != "oa-publisher"} == {"PAPERDESK_CONTACT_EMAIL"}
    local = await opened(SourceChoices(is_hosted=False))
    assert absent(local) == ["unpaywall", "semantic_scholar", "europe_pmc", "doaj"]
    assert local.off["unpaywall"].required_env == "PAPERDESK_CONTACT_EMAIL"


async def test_every_reader_goes_by_its_sources_name_on_the_wire() -> None:
    every = await opened(SourceChoices(contact=CONTACT, on=("semantic_scholar", "europe-pmc", "doaj")))
    keys = {name: getattr(every, name).key for name in READERS}
    assert {key.replace("-", "_") for key in keys.values()} == set(READERS) == set(keys)
    assert set(keys.values()) < {row.wire_key for row in TABLE}


@pytest.mark.parametrize("key", ["crossref", "arxiv"])
async def test_what_is_on_has_no_reason_to_be_off(key: str) -> None:
    sources = await opened(SourceChoices(contact=CONTACT))
    with pytest.raises(KeyError):
        sources.not_enabled(key)


@pytest.mark.parametrize(
    "choices",
    [
        SourceChoices(),
        SourceChoices(contact=CONTACT, off=("crossref", "ncbi")),
        SourceChoices(contact=CONTACT, is_offline=True),
        SourceChoices(is_hosted=False),
    ],
)
async def test_the_reason_why_a_source_is_off_names_the_setting_to_change(choices: SourceChoices) -> None:
    off = (await opened(choices)).off
    assert off
    assert [key for key, why in off.items() if why.required_env and why.required_env not in why.message] == []

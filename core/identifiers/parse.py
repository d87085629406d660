"""Reads a reference: the steps of the identifier grammar in their order."""

from core.identifiers.value import BareDigits, Identifier


def parse(text: str | int, *, titles: bool, bare_digits: BareDigits) -> Identifier:
    """The one identifier that `text` names; raises `InvalidReference`, whose `reason` says what is wrong with its form.

    `titles` lets a text that is no identifier be a title; `bare_digits` decides what digits alone mean.
    """
    raise NotImplementedError

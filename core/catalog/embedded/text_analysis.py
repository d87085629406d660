"""How texts become terms: the same analysis for the indexed papers and for the queries (catalog contract 10.1)."""

import re
import unicodedata
from dataclasses import dataclass

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

ANALYZER = "paperdesk"
"""Name under which the analyzer is registered with an index."""

MAX_TERMS = 64
_MAX_TERM_BYTES = 128

_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SURROGATES = re.compile("[\ud800-\udfff]")
_CJK_RUN = re.compile(f"[{_CJK}]+")

_ENGLISH_STOP_WORDS = """
a about an and any are as at be been but by can could did do does for from had has have how i if in into is it
its may me my no nor not of on or our shall should so some such than that the their them then there these they
this those to us was we were what when where which who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_ENGLISH_STOP_WORDS.split())


def _builder() -> TextAnalyzerBuilder:
    return (
        TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(_MAX_TERM_BYTES)).filter(Filter.lowercase())
    )


def analyzer() -> TextAnalyzer:
    """Splits at non-alphanumerics, lower-cases and stems; texts must have gone through `normalised` before."""
    return _builder().filter(Filter.stemmer("english")).build()


_STEMS = analyzer()
_WORDS = _builder().build()


def _bigrams(run: re.Match[str]) -> str:
    text = run.group()
    if len(text) == 1:
        return f" {text} "
    return f" {' '.join(text[i : i + 2] for i in range(len(text) - 1))} "


def normalised(text: str) -> str:
    """NFKC and casefold, with each run of CJK characters as its overlapping bigrams; ASCII needs none of it."""
    if text.isascii():
        return text
    return _CJK_RUN.sub(_bigrams, unicodedata.normalize("NFKC", _SURROGATES.sub(" ", text)).casefold())


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A query as index terms: distinct ones in order, or all of them in order for a phrase."""

    terms: tuple[str, ...]
    is_phrase: bool


def query_terms(query: str) -> QueryTerms:
    """Terms of a query; stop words are left out when other words remain. Empty when nothing is searchable.

    A query wholly in double quotes is a phrase and keeps its stop words and repetitions. There is no query language:
    operators, field names and brackets are plain characters.
    """
    text = query.strip()
    is_phrase = len(text) > 2 and text[0] == text[-1] == '"' and '"' not in text[1:-1]
    normal = normalised(text)
    stems = _STEMS.analyze(normal)
    if is_phrase:
        return QueryTerms(tuple(stems), is_phrase=len(stems) > 1)
    kept = [stem for word, stem in zip(_WORDS.analyze(normal), stems, strict=True) if word not in STOP_WORDS]
    return QueryTerms(tuple(dict.fromkeys(kept or stems)), is_phrase=False)


def all_terms(text: str) -> tuple[str, ...]:
    """Distinct terms of a text in order, stop words included."""
    return tuple(dict.fromkeys(_STEMS.analyze(normalised(text))))

"""Whether more or less of a metric is better, read from its name (catalog contract 12.6)."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from core.folds import key_fold

MetricDirection = Literal["higher", "lower", "unknown"]

HIGHER: Final = "higher"
LOWER: Final = "lower"
UNKNOWN: Final = "unknown"

_HIGHER_PHRASES = (
    "per second",
    "success rate",
    "win rate",
    "explained variance",
    "average precision",
    "ms ssim",
)
_LOWER_PHRASES = (
    "mean rank",
    "average rank",
    "median rank",
    "negative log likelihood",
    "bits per",
    "id switches",
    "false positive",
    "false negative",
    "false alarm",
    "miss rate",
    "equal error",
    "number of params",
    "number of parameters",
    "training time",
    "inference time",
)


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_HIGHER_NAMES = _listed("is cmc rank1 rank5 rank10 delta1 elo pq sq rq")
_LOWER_NAMES = _listed("per ter ser mer der mr medr cd ed fnr fpr")
_LOWER_WORDS = _listed("""
    error err loss perplexity ppl latency runtime time seconds ms wer cer eer fid kid fvd fad lpips niqe mae mse rmse
    nrmse mape smape wape mase crps nll bpc bpb bpd ece brier epe absrel sqrel ade fde minade minfde mpjpe mpvpe fpr95
    hd95 hausdorff assd chamfer emd distance divergence kl regret toxicity hallucination violations deviation params
    parameters flops gflops macs gmacs memory energy cost
""")
_HIGHER_WORDS = _listed("""
    accuracy acc precision recall sensitivity specificity f1 f2 f bleu sacrebleu rouge rouge1 rouge2 rougel meteor cider
    spice chrf bertscore comet map ap ap50 ap75 iou miou dice jaccard auc auroc auprc auprg ndcg mrr hits hit pass em
    exact correct top1 top5 score psnr ssim msssim sdr sisdr pesq stoi mos mcc kappa spearman pearson kendall kendalls
    matthews corrcoef correlation r2 nmi ari pck pckh mota motp idf1 hota fps throughput reward return winrate coverage
    fidelity similarity agreement
""")
_FAMILIES = (
    re.compile(r"(?:r|p|map|ap|ndcg|hits|recall|precision|pass|top|acc)[\s_-]*@?[\s_-]*[0-9]+(?:\.[0-9]+)?"),
    re.compile(r"(?:δ|delta)\s*<\s*[0-9]+(?:\.[0-9]+)?(?:\^[0-9]+)?"),
)
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


def direction(name: str, recorded: Mapping[str, str]) -> MetricDirection:
    """`higher`, `lower` or `unknown`; what the catalog records for a metric goes before what its name suggests."""
    noted = recorded.get(name)
    if noted == HIGHER:
        return HIGHER
    return LOWER if noted == LOWER else direction_of_name(name)


@lru_cache(maxsize=4096)
def direction_of_name(name: str) -> MetricDirection:
    """What a name suggests, by the first rule that applies; lower words beat higher words, as in `FID score`."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    key = f" {key_fold(name)}"
    words = _words(folded)
    if "↑" in name or " higher is better" in key:
        return HIGHER
    if "↓" in name or " lower is better" in key:
        return LOWER
    if _has_phrase(key, _HIGHER_PHRASES) or " log likelihood" in key.replace(" negative log likelihood", ""):
        return HIGHER
    if _has_phrase(key, _LOWER_PHRASES):
        return LOWER
    squeezed = key.replace(" ", "")
    if squeezed in _HIGHER_NAMES:
        return HIGHER
    if squeezed in _LOWER_NAMES or words & _LOWER_WORDS:
        return LOWER
    if words & _HIGHER_WORDS or any(family.fullmatch(folded.strip()) for family in _FAMILIES):
        return HIGHER
    return UNKNOWN


def _has_phrase(key: str, phrases: tuple[str, ...]) -> bool:
    return any(f" {phrase}" in key for phrase in phrases)


def _words(folded: str) -> set[str]:
    """The words of a name, each as it is and without trailing digits."""
    words = set(_NOT_ALPHANUMERIC.split(folded)) - {""}
    return words | {word.rstrip("0123456789") for word in words}

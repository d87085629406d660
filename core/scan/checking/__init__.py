"""All rules for what a client sends: calls by themselves, and judgements beside the scan that they belong to.

Signatures, each raising `core.scan.answers.refusals.Refused` with every problem found in one pass:

- `start(arguments) -> StartRequest`, `proceed(arguments) -> ContinueRequest`, `verify(arguments) -> VerifyRequest`,
  `result(arguments) -> ResultRequest`
- `scores(sent, pool, batches, so_far, plan)` and `entries(sent, shortlist, pool, plan, so_far)`: the merged mapping
  by surviving cid, equal to `so_far` where nothing changes
- `gap(queries, plan) -> Plan`: the plan with its `round2`
- `scan_window(given, start_day) -> ScanWindow`; `all_ranked(shortlist, entries)`
- `fingerprints(request, secret, default_cap=...) -> Mapping[argument, hex]`, `conflicts(stored, new) -> names`
"""

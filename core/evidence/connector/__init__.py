"""The pair `search` and `fetch`: papers, claims and benchmarks as documents (contract section 7)."""

"""The references room: records, open copies, citations, exports, full texts and TeX sources."""

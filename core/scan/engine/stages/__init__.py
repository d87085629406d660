"""The work between two judgements, one module a stage: each reads a scan, asks the literature and gives the next scan.

None reads the clock or anything random, and none depends on the order in which sources answer (scan contract 10.5).
"""

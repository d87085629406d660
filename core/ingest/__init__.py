"""Turns input files of five formats into a catalog directory."""

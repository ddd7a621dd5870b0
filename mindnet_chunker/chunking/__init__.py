"""Blocks -> chunks: sizes, sentences, cuts, packing."""

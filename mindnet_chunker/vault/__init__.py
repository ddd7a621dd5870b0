"""Folder -> notes: which files are notes, their heads, their names."""

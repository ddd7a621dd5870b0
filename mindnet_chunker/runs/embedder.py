"""Records of chunks -> their vectors: what the index needs of a model, and of BM25."""

"""One file a command's work: the pipeline with files, model and store put in."""

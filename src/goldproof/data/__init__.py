"""What goes in: datasets, readers of published formats, the catalog of named corpora, checks."""

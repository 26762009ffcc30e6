"""What goes in: datasets, predictions and the Answers made of them, columns, formats, named corpora, checks."""

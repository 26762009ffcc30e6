"""A contradiction corpus whose every label is proved: forms, proofs, templates, grammars and the builder.

forms (what is said) < prover, solver (what follows) < templates (which forms) < realise (in words) < build (a corpus);
notation writes and reads forms; a parser in the tests recovers those of the published corpus (Salvatore et al. 2019).
"""

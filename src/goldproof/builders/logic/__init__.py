"""A contradiction corpus whose every label is proved: forms, proofs, templates, grammars and the builder.

forms (what is said) < prover, solver (what follows) < templates (which forms) < realise (in words) < build (a corpus);
notation writes and reads forms; parse recovers the forms of the published corpus (Salvatore et al. 2019).
"""

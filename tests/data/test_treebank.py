"""CoNLL-U: words, multiword ranges, empty nodes, comments."""

from __future__ import annotations

from pathlib import Path

from goldproof.data.formats.treebank import iter_sentences, read_conllu

SENTENCE = """# sent_id = s1
# newpar
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tde\tde\tADP\tP\t_\t3\tcase\t_\t_
2\tle\tle\tDET\tD\tDefinite=Def|PronType=Art\t3\tdet\t_\t_
3\tchat\tchat\tNOUN\tN\t_\t0\troot\t_\t_
3.1\tdort\tdormir\tVERB\tV\t_\t_\t_\t0:root\t_

1\tOui\toui\tINTJ\tI\t_\t0\troot\t_\t_
"""


def test_nodes_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "fr-dev.conllu"
    path.write_text(SENTENCE, "utf-8")
    first, second = iter_sentences(path)
    assert (first.id, first.text, first.comments["newpar"]) == ("s1", "duchat", "")
    assert [token.form for token in first.tokens] == ["de", "le", "chat"]
    assert first.tokens[1].features == {"Definite": "Def", "PronType": "Art"}
    assert [(node.after, node.index, node.form) for node in first.empty_nodes] == [(3, 1, "dort")]
    assert [(range_.first, range_.last, range_.form) for range_ in first.multiwords] == [(1, 2, "du")]
    assert (second.id, second.text, second.line) == ("line 9", "Oui", 9)


def test_as_dataset(tmp_path: Path) -> None:
    path = tmp_path / "fr-dev.conllu"
    path.write_text(SENTENCE, "utf-8")
    data = read_conllu(path, language="fr")
    assert data.splits == ("validation",)
    assert data.table.column("token_labels").to_pylist() == [["ADP", "DET", "NOUN"], ["INTJ"]]

"""`audit.json`: the numbers of an audit as plain values, the same bytes for the same data."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from goldproof.judging.audit.parts import find_bias, find_parts
from goldproof.judging.audit.sentences import answer, light_sentence
from goldproof.statistics.estimate import Estimate
from goldproof.version import __version__

if TYPE_CHECKING:
    from goldproof.judging.audit.audit import Audit

FORMAT = 1
MOST_SUSPECTS = 200


def audit_form(audit: Audit) -> dict[str, Any]:
    """The audit as plain values."""
    found = audit.shortcuts
    labels = audit.material.labels
    form: dict[str, Any] = {
        "product": "goldproof",
        "kind": "audit",
        "format": FORMAT,
        "version": __version__,
        "name": audit.name,
        "answer": answer(audit),
        "problem": audit.has_problem,
        "task": audit.material.task,
        "splits": {role: len(data) for role, data in audit.material.splits.items()},
        "lights": [
            {
                "name": light.name,
                "colour": light.colour,
                "sentence": light_sentence(audit, light),
                "estimate": light.estimate,
                "threshold": None if light.gauge is None else light.gauge.threshold,
                "reason": light.reason,
            }
            for light in audit.lights
        ],
        "leaks": [{**asdict(each), "n": each.n} for each in audit.copies.shared],
        "alignment": [{**asdict(each), "aligned": each.aligned} for each in audit.alignments],
        "noise": asdict(audit.noise),
        "notes": list(audit.notes),
    }
    if isinstance(found, str):
        form["shortcuts"] = {"reason": found}
    else:
        form["shortcuts"] = {
            "floor": found.judged.floor,
            "exchanged": found.judged.exchanged,
            "draws": found.judged.draws,
            "folds": found.judged.folds,
            "n": len(found.rows),
            "tried": [asdict(each) for each in found.judged.scores],
            "untried": dict(found.judged.untried),
            "words": [{**asdict(word), "label": labels[word.label]} for word in found.judged.words],
        }
        parts = find_parts(audit)
        bias = find_bias(audit)
        form["hard"] = (
            {"parts": [asdict(part) for part in parts], "bias": None if bias is None else asdict(bias)}
            if parts
            else {"reason": found.hard}
        )
    form["labels"] = _suspects(audit)
    form["balance"] = {"reason": audit.balance} if isinstance(audit.balance, str) else asdict(audit.balance)
    plain: dict[str, Any] = _plain(form)
    return plain


def _suspects(audit: Audit) -> dict[str, Any]:
    if isinstance(audit.suspects, str):
        return {"reason": audit.suspects}
    return {
        "reason": audit.suspects.reason,
        "share_wrong": audit.suspects.share_wrong,
        "accuracy": audit.suspects.accuracy,
        "cuts": [asdict(cut) for cut in audit.suspects.cuts],
        "suspects": [asdict(each) for each in audit.suspects.suspects[:MOST_SUSPECTS]],
    }


def _plain(value: Any) -> Any:
    """Only what JSON knows: numbers that are not finite are null."""
    if isinstance(value, Estimate):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def audit_json(audit: Audit) -> str:
    """The audit as JSON text, ending in a newline."""
    return json.dumps(audit_form(audit), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

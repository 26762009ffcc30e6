"""The one shaper of names, types and checks, for data files and for files of predictions alike.

`names` says which column plays which part, `values` what a cell may hold and `tasks` what predictions are of; both
kinds of file go through the same. `data_files` and `prediction_files` make batches of the two, and say in a comment
where they differ on purpose.
"""

from goldproof.data.columns.data_files import ColumnNames, Columns, Filling, guess_columns, shape_batch
from goldproof.data.columns.names import check_fields, list_columns, no_column
from goldproof.data.columns.prediction_files import (
    KEY_COLUMNS,
    READ_BY_PEOPLE,
    Shape,
    find_columns,
    holds_texts,
    shape_predictions,
)
from goldproof.data.columns.tasks import (
    AS_LABELS,
    MissingPolicy,
    PredictionTask,
    guess_task,
    resolve_missing,
    taken_as_labels,
)

__all__ = [
    "AS_LABELS",
    "KEY_COLUMNS",
    "READ_BY_PEOPLE",
    "ColumnNames",
    "Columns",
    "Filling",
    "MissingPolicy",
    "PredictionTask",
    "Shape",
    "check_fields",
    "find_columns",
    "guess_columns",
    "guess_task",
    "holds_texts",
    "list_columns",
    "no_column",
    "resolve_missing",
    "shape_batch",
    "shape_predictions",
    "taken_as_labels",
]

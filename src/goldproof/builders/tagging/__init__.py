"""Word classes: each text's tokens with their places and universal tags, by one of several back ends."""

from goldproof.builders.tagging.registry import Backend, TaggerName, all_backends, choose_tagger
from goldproof.builders.tagging.tag import tag, tag_texts, tag_to_table
from goldproof.builders.tagging.tagged import Tagger, Tagging, make_table, read_table
from goldproof.builders.tagging.tagset import CLASSES, FROM_UD, check_classes, parse_classes

__all__ = [
    "CLASSES",
    "FROM_UD",
    "Backend",
    "Tagger",
    "TaggerName",
    "Tagging",
    "all_backends",
    "check_classes",
    "choose_tagger",
    "make_table",
    "parse_classes",
    "read_table",
    "tag",
    "tag_texts",
    "tag_to_table",
]

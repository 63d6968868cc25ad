"""The versions of GraphDefs that are written and read, under TensorFlow's names."""

from __future__ import annotations

from .export import MIN_CONSUMER, PRODUCER

GRAPH_DEF_VERSION = PRODUCER
GRAPH_DEF_VERSION_MIN_CONSUMER = MIN_CONSUMER
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

"""Normalization: by the statistics of a batch, and by what neighbouring channels hold."""

from __future__ import annotations

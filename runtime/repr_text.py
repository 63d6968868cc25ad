"""Mixin for objects with a one-line repr, and full text in print and in notebooks."""

from __future__ import annotations

from html import escape


class ShownText:
    """The part of an object that has a text of several lines: its `repr` is the first of them."""

    def __repr__(self) -> str:
        first, _, _ = str(self).partition("\n")
        return f"<td.{type(self).__name__}: {first}>"

    def _repr_html_(self) -> str | None:
        """The whole text, for a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

"""Names with and without a scope, as meta graphs are exported from one and imported to another."""

from __future__ import annotations

public = {"td": "prepend_name_scope strip_name_scope"}


def strip_name_scope(name: str | bytes, export_scope: str | None) -> str | bytes:
    """A name in a GraphDef without the scope it is exported from.

    Args:
        name: the name of a node or tensor, "^name" for a control input, or "loc:@name".
        export_scope: the scope; None for none.

    Example:
        >>> td.strip_name_scope("^layer/w", "layer"), td.strip_name_scope("other/w", "layer")
        ('^w', 'other/w')
    """
    if not export_scope:
        return name
    text = name if isinstance(name, str) else name.decode()
    mark = next((mark for mark in ("^", "loc:@") if text.startswith(mark)), "")
    scope = export_scope.rstrip("/")
    stripped = mark + text.removeprefix(mark).removeprefix(f"{scope}/")
    return stripped if isinstance(name, str) else stripped.encode()


def prepend_name_scope(name: str | bytes, import_scope: str | None) -> str | bytes:
    """A name in a GraphDef under the scope it is imported to.

    Args:
        name: the name of a node or tensor, "^name" for a control input, or "loc:@name".
        import_scope: the scope; None for none.

    Example:
        >>> td.prepend_name_scope("loc:@w", "layer")
        'loc:@layer/w'
    """
    if not import_scope:
        return name
    text = name if isinstance(name, str) else name.decode()
    mark = next((mark for mark in ("^", "loc:@") if text.startswith(mark)), "")
    scope = import_scope.rstrip("/")
    result = f"{mark}{scope}/{text.removeprefix(mark)}"
    return result if isinstance(name, str) else result.encode()

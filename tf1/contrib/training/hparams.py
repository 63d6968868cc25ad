"""Hyperparameters with names, types and values, which command lines override: `HParams`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

public = {"td.contrib.training": "HParams parse_values"}

# `name=value`, `name[3]=value` and `name=[value,value]`, each up to a comma or the end.
_ASSIGNMENT = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"(?:\[(?P<values>[^\]]*)\]|(?P<value>[^,\[\]]*))\s*(?:,|$)"
)


def parse_values(
    values: str, type_map: Mapping[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Values by name, from text such as "rate=0.1,layers=[3,4],sizes[1]=5".

    Args:
        values: the text.
        type_map: the types of the values, by name.
        ignore_unknown: whether other names are passed over.

    Returns:
        The values; those with an index as a dict.

    Raises:
        ValueError: the text is not of that form, a name is unknown or given twice, or a value is
            not of its type.

    Example:
        >>> types = {"rate": float, "layers": int, "name": str}
        >>> td.contrib.training.parse_values("rate=0.1,layers=[3,4],name=a b", types)
        {'rate': 0.1, 'layers': [3, 4], 'name': 'a b'}
    """
    found: dict[str, Any] = {}
    place = 0
    while place < len(values):
        match = _ASSIGNMENT.match(values, place)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[place:]}")
        place = match.end()
        name, index = match["name"], match["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        known = found.get(name)
        if index is None and name in found:
            raise ValueError(f"Multiple assignments to variable {name!r} in {values}")
        if match["values"] is not None:
            if index is not None:
                raise ValueError(f"Assignment of a list to an element of {name!r} in {values}")
            items = [item for item in re.split(r"[ ,]", match["values"]) if item]
            found[name] = [_parsed(name, item, type_map[name]) for item in items]
        elif index is None:
            found[name] = _parsed(name, match["value"].strip(), type_map[name])
        elif known is not None and (not isinstance(known, dict) or int(index) in known):
            raise ValueError(f"Multiple assignments to variable '{name}[{index}]' in {values}")
        else:
            found.setdefault(name, {})[int(index)] = _parsed(
                name, match["value"].strip(), type_map[name]
            )
    return found


def _parsed(name: str, text: str, wanted: type) -> Any:
    try:
        if wanted is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return wanted(text)
    except (KeyError, ValueError):
        raise ValueError(
            f"Could not parse hparam {name!r} of type {wanted.__name__!r} with value {text!r}"
        ) from None


def _fitted(name: str, wanted: type, value: Any) -> Any:
    """A value of the type that a hyperparameter has, where nothing is lost.

    Raises:
        ValueError: it is of another kind.
    """
    if value is None:
        return value
    message = f"Could not cast hparam {name!r} of type {wanted.__name__!r} from value {value!r}"
    if isinstance(value, bool) != (wanted is bool) or isinstance(value, str) != (wanted is str):
        raise ValueError(message)
    if wanted is int and isinstance(value, float) and not value.is_integer():
        raise ValueError(message)
    try:
        return wanted(value)
    except (TypeError, ValueError):
        raise ValueError(message) from None


class HParams:
    """Hyperparameters: attributes whose types stay what they are at first.

    Args:
        model_structure: kept for `get_model_structure`.
        kwargs: the values by name: numbers, booleans, strings, and lists of those.

    Example:
        >>> hparams = td.contrib.training.HParams(rate=0.1, layers=[3, 4])
        >>> hparams.parse("rate=0.5,layers[1]=8").rate, hparams.layers, "rate" in hparams
        (0.5, [3, 8], True)
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            raise ValueError("hparam_def is not supported: give the values by name")
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter with the type of the value.

        Raises:
            ValueError: the name is taken, or a list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets an existing hyperparameter.

        Raises:
            ValueError: the value is of another type, or a list instead of a single value or
                vice versa.
            KeyError: there is no such hyperparameter.
        """
        if name not in self._hparam_types:
            known = ", ".join(sorted(self._hparam_types))
            raise KeyError(f"there is no hyperparameter {name!r}; there are: {known}")
        wanted, several = self._hparam_types[name]
        if isinstance(value, list):
            if not several:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_fitted(name, wanted, item) for item in value])
        else:
            if several:
                raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
            setattr(self, name, _fitted(name, wanted, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter, if there is such."""
        if name in self._hparam_types:
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Overrides hyperparameters by text: see `parse_values`.

        Returns:
            This object.
        """
        types = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, types))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Overrides hyperparameters by a dict; a dict as a value sets elements of a list.

        Returns:
            This object.

        Raises:
            KeyError: there is no such hyperparameter.
            ValueError: a value does not fit.
        """
        for name, value in values_dict.items():
            if isinstance(value, dict):
                items = list(getattr(self, name))
                for index, item in value.items():
                    if not index < len(items):
                        raise ValueError(f"{name}[{index}] is beyond its {len(items)} elements")
                    items[index] = item
                value = items
            self.set_hparam(name, value)
        return self

    def set_model_structure(self, model_structure: Any) -> None:
        """Sets the result of `get_model_structure`."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """The argument `model_structure`."""
        return self._model_structure

    def to_json(
        self,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        """The values as JSON; those that are functions are left out."""
        kept = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(kept, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Overrides hyperparameters by JSON, as `to_json` gives it.

        Returns:
            This object.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or the default, which has to be of its type.

        Raises:
            ValueError: the default is of another type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            wanted, several = self._hparam_types[key]
            items = default if several and isinstance(default, list) else [default]
            if several != isinstance(default, list):
                raise ValueError(f"the default {default!r} of {key!r} must be a list, as its value")
            for item in items:
                _fitted(key, wanted, item)
        return getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

"""Lists of operators and hyperparameters: TOML, which a user may copy and edit."""

from __future__ import annotations

import inspect
import itertools
import tomllib
from typing import Any, Callable, Iterator, Mapping, NamedTuple

import accord


class Configuration(NamedTuple):
    """An operator with hyperparameters."""

    operator: str
    parameters: dict[str, Any]
    dtype: str = "float32"

    @property
    def text(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.parameters.items())


def hyperparameters_of(operators: Mapping[str, Callable[..., Any]]) -> dict[str, dict[str, bool]]:
    """What a sweep may set for each operator, and whether it must."""
    return {name: {key: parameter.default is parameter.empty
                   for key, parameter in inspect.signature(make).parameters.items() if key != "draw"}
            | {"dtype": False} for name, make in operators.items()}


def read_sweep(path: str, known: Mapping[str, Mapping[str, bool]], only: str = "") -> list[Configuration]:
    """All combinations of the hyperparameters in a file. `known`: the hyperparameters of each operator, and
    whether they must be given; `only`: operators of the file, separated by commas; if empty, all."""
    try:
        with open(path, "rb") as file:
            sweep = tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise accord.ArgumentError(f"{path} is not TOML: {error}") from None
    wanted = [name for name in only.split(",") if name] or list(sweep)
    unknown = [name for name in wanted if name not in sweep]
    if unknown:
        raise accord.ArgumentError(f"{path} has no operator {unknown[0]}; it has {', '.join(sweep)}")
    return [c for name in wanted for entry in _entries(path, name, sweep[name], known)
            for c in _combinations(name, entry)]


def _entries(path: str, name: str, entries: Any,
             known: Mapping[str, Mapping[str, bool]]) -> Iterator[dict[str, list[Any]]]:
    if name not in known:
        raise accord.ArgumentError(f"{path}: {name} is not an operator; there are "
                                   f"{', '.join(sorted(known))}")
    for entry in entries if isinstance(entries, list) else [entries]:
        if not isinstance(entry, dict):
            raise accord.ArgumentError(f"{path}: {name} is to be a table: write [[{name}]]")
        for key, values in entry.items():
            if key not in known[name]:
                raise accord.ArgumentError(f"{path}: {name} has no hyperparameter {key}; it has "
                                           f"{', '.join(known[name])}")
            if not isinstance(values, list) or not values:
                raise accord.ArgumentError(f"{path}: {name}: {key} is to be a list of values")
        missing = [key for key, required in known[name].items() if required and key not in entry]
        if missing:
            raise accord.ArgumentError(f"{path}: {name} needs the hyperparameter {missing[0]}")
        yield entry


def _combinations(name: str, entry: dict[str, list[Any]]) -> Iterator[Configuration]:
    for values in itertools.product(*entry.values()):
        parameters = dict(zip(entry, values))
        dtype = parameters.pop("dtype", "float32")
        yield Configuration(name, parameters, dtype)

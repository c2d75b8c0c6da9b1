"""Recordings: arrays of signals over time."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Iterator

import numpy as np
from numpy.typing import NDArray

from . import _library as c

Array = NDArray[np.float64]


class _Memory(c.Handle):
    """An array in the memory of a handle, which lives as long as the array."""

    def __init__(self, handle: c.Pointer, destroy: str):
        self._destroy = destroy
        super().__init__(handle)

    def array(self, pointer, shape: tuple[int, ...]) -> Array:
        if 0 in shape:
            return np.empty(shape)
        address = c.ctypes.addressof(pointer.contents)
        self.__array_interface__ = {"data": (address, True), "shape": shape, "typestr": "<f8",
                                    "version": 3}
        return np.asarray(self)


class Columns(Mapping):
    """Columns of a table by name. A name that several columns begin with, such as "arm.q" for
    "arm.q.joint1" and "arm.q.joint2", gives all of them, with an index for the column last."""

    def __init__(self, values: Array, names: list[str], units: list[str]):
        #: All values, (rows, columns).
        self.values_array = values
        self.columns = names
        #: Units by the names of columns.
        self.units = dict(zip(names, units))

    def __getitem__(self, name: str) -> Array:
        if not isinstance(name, str):
            raise KeyError(f"{name!r} is not a name; give the name of a column")
        if name in self.columns:
            return self.values_array[:, self.columns.index(name)]
        group = [k for k, column in enumerate(self.columns) if column.startswith(name + ".")]
        if not group:
            raise KeyError(f"{name}; there are {', '.join(self.columns)}")
        if group == list(range(group[0], group[-1] + 1)):
            return self.values_array[:, group[0]:group[-1] + 1]
        return self.values_array[:, group]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


class Recording(Columns):
    """Signals over time: a mapping from names to arrays, with `time`, `units` and `frames`."""

    def __init__(self, values: Array, names: list[str], units: list[str], frames: list[str],
                 description: dict | None = None, problem: str = ""):
        super().__init__(values, names, units)
        #: Frames of columns, such as "world", by their names; "" for a number without axes.
        self.frames = dict(zip(names, frames))
        #: The description of the run, from a file.
        self.description = description or {}
        #: Why the recording is not complete, or "".
        self.problem = problem

    @property
    def time(self) -> Array:
        """Time (rows,), s."""
        return self.values_array[:, 0]

    @property
    def replayable(self) -> bool:
        """False if a Python function acted in the run: the scene alone does not repeat it."""
        return self.description.get("experiment", {}).get("replayable", True)

    def __repr__(self) -> str:
        return f"<torsor.Recording of {len(self.time)} rows: {', '.join(self.columns)}>"


def read(file: str | os.PathLike) -> Recording:
    """Reads a recording, .h5 or .csv. Its arrays are not copied."""
    memory = _Memory(c.create("torsor_recording_read", c.encoded(file)), "torsor_recording_destroy")
    handle, lib = memory._handle, c.lib
    names = c.names(lib.torsor_recording_name, handle)
    values = memory.array(lib.torsor_recording_values(handle),
                          (lib.torsor_recording_rows(handle), len(names)))
    description = c.text(lib.torsor_recording_description(handle))
    return Recording(values, names, c.names(lib.torsor_recording_unit, handle),
                     c.names(lib.torsor_recording_frame, handle),
                     json.loads(description) if description else {},
                     c.text(lib.torsor_recording_problem(handle)))

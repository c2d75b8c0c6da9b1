"""The engine of this process: the plugins that were found, and what scenes may do."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Iterable

from . import _library as c


class _Engine(c.Handle):
    _destroy = "torsor_engine_destroy"

    def __init__(self, plugins: Iterable[str | os.PathLike] = (), allow_plugins: bool = False):
        paths = [c.encoded(path) for path in plugins]
        self._print = c.Print(lambda _, line: print(c.text(line)))
        options = c.struct(c.EngineOptions, allow_plugins=int(allow_plugins),
                           plugin_paths=(ctypes.c_char_p * len(paths))(*paths),
                           n_plugin_paths=len(paths), print=self._print)
        super().__init__(c.create("torsor_engine_create", ctypes.byref(options)))


_lock = threading.Lock()
_present: _Engine | None = None


def engine() -> _Engine:
    """Returns the engine. The first call finds the plugins."""
    global _present
    with _lock:
        if _present is None:
            _present = _Engine()
        return _present


def configure(plugins: Iterable[str | os.PathLike] = (), allow_plugins: bool = False) -> None:
    """Chooses the plugins of robots and scenes that are loaded later.

    plugins: plugin files and folders, searched before those of the installation.
    allow_plugins: scenes may load plugins of machine code, and read files outside of their folder.
    Finds the plugins again, so that changed files are loaded.
    """
    global _present
    made = _Engine(plugins, allow_plugins)
    with _lock:
        _present = made


def warnings() -> list[str]:
    """Returns one line for each plugin file that cannot be used."""
    return c.text(c.lib.torsor_engine_warnings(engine()._handle)).splitlines()

"""The C interface of libtorsor.so by ctypes. It mirrors torsor.h, which documents each function."""

from __future__ import annotations

import ctypes
import numbers
import operator
import os
import re
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int32,
                    c_size_t, c_uint32, c_uint64, c_void_p)
from pathlib import Path
from typing import Mapping

import numpy as np

API_MAJOR = 1

Print = CFUNCTYPE(None, c_void_p, c_char_p)
Progress = CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64)


class ErrorText(Structure):
    _fields_ = [("struct_size", c_uint32), ("result", c_int32), ("text", c_char * 16376)]


class Setting(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class EngineOptions(Structure):
    _fields_ = [("struct_size", c_uint32), ("allow_plugins", c_uint32),
                ("plugin_paths", POINTER(c_char_p)), ("n_plugin_paths", c_size_t),
                ("print", Print), ("user", c_void_p)]


class LoadOptions(Structure):
    _fields_ = [("struct_size", c_uint32), ("strict", c_uint32), ("floating_base", c_uint32),
                ("collisions", c_uint32), ("settings", POINTER(Setting)), ("n_settings", c_size_t),
                ("solver", c_char_p), ("constraint_solver", c_char_p), ("integrator", c_char_p),
                ("dt", c_double), ("duration", c_double), ("gravity", POINTER(c_double))]


class QuantityInfo(Structure):
    _fields_ = [("struct_size", c_uint32), ("n_results", c_uint32), ("inputs", c_char_p),
                ("entries", c_size_t)]


class ResultInfo(Structure):
    _fields_ = [("struct_size", c_uint32), ("n_dims", c_uint32), ("dims", c_size_t * 4),
                ("name", c_char_p)]


class States(Structure):
    _fields_ = [("struct_size", c_uint32), ("n", c_size_t), ("q", c_void_p), ("v", c_void_p),
                ("x", c_void_p), ("q_stride", c_size_t), ("v_stride", c_size_t),
                ("x_stride", c_size_t)]


class Motions(Structure):
    _fields_ = [("struct_size", c_uint32), ("tau_is_shared", c_uint32),
                ("tau_is_constant", c_uint32), ("integrator", c_char_p), ("dt", c_double),
                ("n", c_size_t), ("steps", c_uint64), ("sample_every", c_uint64), ("q", c_void_p),
                ("v", c_void_p), ("tau", c_void_p), ("q_stride", c_size_t), ("v_stride", c_size_t),
                ("tau_stride", c_size_t), ("tau_step_stride", c_size_t), ("done", c_void_p)]


class ControlState(Structure):
    _fields_ = [("struct_size", c_uint32), ("t", c_double), ("q", POINTER(c_double)),
                ("v", POINTER(c_double)), ("n_q", c_size_t), ("n_v", c_size_t)]


ControlFunction = CFUNCTYPE(c_int32, c_void_p, POINTER(ControlState), POINTER(c_double))


class Control(Structure):
    _fields_ = [("struct_size", c_uint32), ("name", c_char_p), ("robot", c_char_p),
                ("period", c_double), ("function", ControlFunction), ("user", c_void_p)]


class ForceState(Structure):
    _fields_ = [("struct_size", c_uint32), ("t", c_double), ("q", POINTER(c_double)),
                ("v", POINTER(c_double)), ("n_q", c_size_t), ("n_v", c_size_t),
                ("n_frames", c_size_t), ("X_WF", POINTER(c_double)), ("V_WF_W", POINTER(c_double))]


ForceFunction = CFUNCTYPE(c_int32, c_void_p, POINTER(ForceState), POINTER(c_double),
                          POINTER(c_double))


class ExternalForce(Structure):
    _fields_ = [("struct_size", c_uint32), ("name", c_char_p), ("robot", c_char_p),
                ("frames", POINTER(c_char_p)), ("n_frames", c_size_t),
                ("function", ForceFunction), ("user", c_void_p)]


class StudyOptions(Structure):
    _fields_ = [("struct_size", c_uint32), ("jobs", c_uint32), ("settings", POINTER(Setting)),
                ("n_settings", c_size_t), ("solver", c_char_p), ("constraint_solver", c_char_p),
                ("integrator", c_char_p), ("dt", c_double), ("duration", c_double),
                ("samples", c_uint64), ("seed", c_uint64), ("design", c_char_p),
                ("grid", POINTER(Setting)), ("n_grid", c_size_t), ("existing", c_uint32),
                ("limit", c_double), ("progress", Progress), ("user", c_void_p)]


# The parts of a robot.
COORDINATES, DOFS, JOINTS, FRAMES, LINKS = range(5)

_P = c_void_p  # a handle
_OUT = POINTER(c_void_p)
_E = POINTER(ErrorText)

# name: (result, arguments). A result of c_int32 is checked by check().
_FUNCTIONS = {
    "torsor_api_version": (c_uint32, []),
    "torsor_version": (c_char_p, []),
    "torsor_engine_create": (c_int32, [POINTER(EngineOptions), _OUT, _E]),
    "torsor_engine_destroy": (None, [_P]),
    "torsor_engine_warnings": (c_char_p, [_P]),
    "torsor_robot_load": (c_int32, [_P, c_char_p, POINTER(LoadOptions), _OUT, _E]),
    "torsor_robot_destroy": (None, [_P]),
    "torsor_robot_count": (c_size_t, [_P, c_int]),
    "torsor_robot_name": (c_char_p, [_P, c_int, c_size_t]),
    "torsor_robot_unit": (c_char_p, [_P, c_int, c_size_t]),
    "torsor_robot_warnings": (c_char_p, [_P]),
    "torsor_robot_neutral": (c_int32, [_P, _P, _E]),
    "torsor_robot_limits": (c_int32, [_P, _P, _P, _P, _P, _E]),
    "torsor_robot_integrate": (c_int32, [_P, _P, _P, c_double, _P, _E]),
    "torsor_robot_difference": (c_int32, [_P, _P, _P, _P, _E]),
    "torsor_quantity_name": (c_char_p, [c_size_t]),
    "torsor_quantity_describe": (c_int32, [_P, c_char_p, POINTER(QuantityInfo), _E]),
    "torsor_quantity_result": (c_int32, [_P, c_char_p, c_size_t, POINTER(ResultInfo), _E]),
    "torsor_evaluator_create": (c_int32, [_P, c_char_p, _OUT, _E]),
    "torsor_evaluator_destroy": (None, [_P]),
    "torsor_evaluator_set_gravity": (c_int32, [_P, _P, _E]),
    "torsor_evaluator_set_wrenches": (c_int32, [_P, c_size_t, _P, _P, _E]),
    "torsor_evaluate": (c_int32, [_P, c_char_p, _P, _P, _P, _P, _E]),
    "torsor_evaluate_batch": (c_int32, [_P, c_char_p, POINTER(States), _P, c_size_t, _E]),
    "torsor_rollout": (c_int32, [_P, POINTER(Motions), _P, _P, _E]),
    "torsor_scene_load": (c_int32, [_P, c_char_p, POINTER(LoadOptions), _OUT, _E]),
    "torsor_scene_destroy": (None, [_P]),
    "torsor_scene_robot": (c_int32, [_P, _OUT, _E]),
    "torsor_scene_warnings": (c_char_p, [_P]),
    "torsor_scene_parameter": (c_char_p, [_P, c_size_t]),
    "torsor_scene_value": (c_char_p, [_P, c_size_t]),
    "torsor_scene_dt": (c_double, [_P]),
    "torsor_scene_duration": (c_double, [_P]),
    "torsor_scene_add_control": (c_int32, [_P, POINTER(Control), _E]),
    "torsor_scene_add_force": (c_int32, [_P, POINTER(ExternalForce), _E]),
    "torsor_scene_record": (c_int32, [_P, c_char_p, Progress, _P, _E]),
    "torsor_simulation_create": (c_int32, [_P, _OUT, _E]),
    "torsor_simulation_destroy": (None, [_P]),
    "torsor_simulation_step": (c_int32, [_P, c_uint64, _E]),
    "torsor_simulation_time": (c_double, [_P]),
    "torsor_simulation_steps": (c_uint64, [_P]),
    "torsor_simulation_hash": (c_uint64, [_P]),
    "torsor_simulation_state": (c_int32, [_P, _P, _P, _E]),
    "torsor_simulation_set_state": (c_int32, [_P, _P, _P, _E]),
    "torsor_simulation_set_torque": (c_int32, [_P, _P, _E]),
    "torsor_simulation_snapshot": (c_int32, [_P, _OUT, _E]),
    "torsor_snapshot_destroy": (None, [_P]),
    "torsor_simulation_restore": (c_int32, [_P, _P, _E]),
    "torsor_simulation_save": (c_int32, [_P, _P, c_size_t, POINTER(c_size_t), _E]),
    "torsor_simulation_load": (c_int32, [_P, _P, c_size_t, _E]),
    "torsor_simulation_signal": (c_char_p, [_P, c_size_t]),
    "torsor_signals_create": (c_int32, [_P, POINTER(c_char_p), c_size_t, _OUT, _E]),
    "torsor_signals_destroy": (None, [_P]),
    "torsor_signals_columns": (c_size_t, [_P]),
    "torsor_signals_name": (c_char_p, [_P, c_size_t]),
    "torsor_signals_unit": (c_char_p, [_P, c_size_t]),
    "torsor_signals_frame": (c_char_p, [_P, c_size_t]),
    "torsor_signals_read": (c_int32, [_P, _P, _E]),
    "torsor_signals_run": (c_int32, [_P, c_uint64, c_uint64, _P, POINTER(c_uint64), _E]),
    "torsor_recording_read": (c_int32, [c_char_p, _OUT, _E]),
    "torsor_recording_destroy": (None, [_P]),
    "torsor_recording_columns": (c_size_t, [_P]),
    "torsor_recording_rows": (c_size_t, [_P]),
    "torsor_recording_name": (c_char_p, [_P, c_size_t]),
    "torsor_recording_unit": (c_char_p, [_P, c_size_t]),
    "torsor_recording_frame": (c_char_p, [_P, c_size_t]),
    "torsor_recording_values": (POINTER(c_double), [_P]),
    "torsor_recording_description": (c_char_p, [_P]),
    "torsor_recording_problem": (c_char_p, [_P]),
    "torsor_study_run": (c_int32, [_P, c_char_p, c_char_p, POINTER(StudyOptions), _E]),
    "torsor_study_read": (c_int32, [c_char_p, _OUT, _E]),
    "torsor_study_destroy": (None, [_P]),
    "torsor_study_parameters": (c_size_t, [_P]),
    "torsor_study_outcomes": (c_size_t, [_P]),
    "torsor_study_samples": (c_uint64, [_P]),
    "torsor_study_name": (c_char_p, [_P, c_size_t]),
    "torsor_study_unit": (c_char_p, [_P, c_size_t]),
    "torsor_study_label": (c_char_p, [_P, c_size_t, c_size_t]),
    "torsor_study_status": (c_char_p, [_P, c_uint64]),
    "torsor_study_message": (c_char_p, [_P, c_uint64]),
    "torsor_study_values": (POINTER(c_double), [_P]),
    "torsor_study_hash": (c_uint64, [_P]),
}


class Error(Exception):
    """A mistake in a file or an argument, or a run that failed. The text is one line:
    FILE:LINE, what is wrong, what to do. `file` and `line` are those of the text, or None."""

    def __init__(self, message: str):
        super().__init__(message)
        place = re.match(r"(.+?):(\d+): ", message)
        self.file = place.group(1) if place else None
        self.line = int(place.group(2)) if place else None


def _candidates() -> list[Path]:
    name, package = "libtorsor.so.1", Path(__file__).parent.absolute()
    named = os.environ.get("TORSOR_LIBRARY")
    if named:
        return [Path(named)]
    prefix = package.parents[3]  # PREFIX/lib/python3/dist-packages/torsor
    lib = prefix / "lib"
    return [package / "native" / "lib" / name, lib / name,
            *(folder / name for folder in sorted(lib.glob("*-linux-gnu")))]


def _load() -> ctypes.CDLL:
    tried = _candidates()
    found = next((file for file in tried if file.exists()), None)
    if found is None:
        raise ImportError("libtorsor.so.1 is not installed; it was searched in "
                          + ", ".join(str(file) for file in tried)
                          + "; set TORSOR_LIBRARY to the file")
    library = ctypes.CDLL(str(found))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    if library.torsor_api_version() >> 16 != API_MAJOR:
        raise ImportError(f"{found}: the version of its interface is "
                          f"{library.torsor_api_version() >> 16}, and this package needs {API_MAJOR}")
    return library


lib = _load()


def new_error() -> ErrorText:
    """Returns memory for the error of a call."""
    return ErrorText(struct_size=ctypes.sizeof(ErrorText))


def check(result: int, error: ErrorText) -> None:
    """Raises the exception of a result."""
    if result == 0:
        return
    text = error.text.decode(errors="replace")
    if result == 2:
        raise MemoryError(text)
    if result == 3:
        raise KeyboardInterrupt(text)
    raise Error(text) if result == 1 else RuntimeError(text)


def call(name: str, *arguments) -> None:
    """Calls a function that can fail."""
    error = new_error()
    check(getattr(lib, name)(*arguments, byref(error)), error)


class Pointer(int):
    """A handle of the library. Other numbers are not taken for one."""


def create(name: str, *arguments) -> Pointer:
    """Calls a function that creates a handle, and returns the handle."""
    out = c_void_p()
    call(name, *arguments, byref(out))
    return Pointer(out.value)


class Handle:
    """Owner of a handle of the library. It is destroyed together with the object."""

    _destroy = ""

    def __init__(self, handle: Pointer):
        if not isinstance(handle, Pointer):
            raise TypeError(f"torsor.{type(self).__name__} is not made from {handle!r}; "
                            "use torsor.robot(), load(), read() or read_study()")
        self._handle = handle

    def __reduce_ex__(self, protocol):
        raise TypeError(f"a torsor.{type(self).__name__} cannot be copied or pickled; "
                        "simulations have snapshot() and save()")

    def __del__(self, lib=lib):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            getattr(lib, self._destroy)(handle)


def text(value: bytes | None) -> str:
    """Returns a string of the library."""
    return (value or b"").decode(errors="replace")


def _without_nul(value: bytes, what: str) -> bytes:
    if b"\0" in value:
        raise ValueError(f"{what} {text(value)!r} contains a NUL character")
    return value


def encoded(value: object) -> bytes | None:
    """Returns a string for the library, or None. Accepts paths."""
    return None if value is None else _without_nul(os.fsencode(os.fspath(value)), "the text")


def name(value: object, what: str) -> bytes:
    """Returns a name for the library. what: the thing with this name, in messages."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is {value!r}; it must be a string")
    return _without_nul(value.encode(), what)


def listed(values: object) -> list:
    """Returns a list of names. A string is one name."""
    return [values] if isinstance(values, str) else list(values)


def whole(value: object, what: str, least: int = 0, most: int = 2**64 - 1) -> int:
    """Returns a whole number of the caller. what: its name in messages."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; it must be a whole number") from None
    if not least <= number <= most:
        raise ValueError(f"{what} is {number}; it must be from {least} to {most}")
    return number


def struct(kind, **members):
    """Returns a struct with its size set."""
    return kind(struct_size=ctypes.sizeof(kind), **members)


def value_text(value: object, what: str) -> str:
    """Returns a value as the library reads it. what: its name in messages."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))  # Lua distinguishes 2 and 2.0
    if isinstance(value, numbers.Real):
        return repr(float(value))
    raise TypeError(f"{what} is {value!r}; it must be a number, a string or a flag")


def list_text(values: object, what: str) -> str:
    """Returns a value or a list of values as the library reads it, separated by commas. Accepts all
    kinds of sequences, such as range and NumPy arrays."""
    if isinstance(values, (str, numbers.Real, np.bool_)):
        return value_text(values, what)
    try:
        texts = [value_text(value, f"a value of {what}") for value in values]
    except TypeError as error:
        raise TypeError(f"{what} is {values!r}; it must be a list of numbers or strings") from error
    if not texts or any("," in each for each in texts):
        raise ValueError(f"{what} is {values!r}; it must have values, and no commas in strings")
    return ",".join(texts)


def settings(values: Mapping, more: Mapping = {}):
    """Returns an array of the settings of both mappings. Keep it until the call has ended."""
    for key in more:
        if key in values:
            raise TypeError(f"the parameter '{key}' is given twice")
    values = {**values, **more}

    def setting(key: object, value: object) -> Setting:
        return Setting(name(key, "the name of a parameter"),
                       name(list_text(value, repr(key)), f"the value of {key!r}"))

    return (Setting * len(values))(*(setting(key, value) for key, value in values.items()))


def names(function, *arguments) -> list[str]:
    """Returns the names that a function gives for the indices from 0 on, until it returns NULL."""
    out: list[str] = []
    while (name := function(*arguments, len(out))) is not None:
        out.append(text(name))
    return out

"""The memory of one thread for the quantities of a robot, and the arrays of callers."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library as c

if TYPE_CHECKING:
    from .robots import Robot

Array = NDArray[np.float64]
Results = Union[Array, "dict[str, Array]"]

# The evaluation of one state takes microseconds. This library does not release the lock of the
# interpreter, which would take longer.
_locked = ctypes.PyDLL(c.lib._name)
evaluate = _locked.torsor_evaluate
evaluate.restype = ctypes.c_int32
evaluate.argtypes = [ctypes.c_void_p, ctypes.c_char_p] + 5 * [ctypes.c_void_p]


class Evaluator(c.Handle):
    """An evaluator with the arrays of one thread."""

    _destroy = "torsor_evaluator_destroy"

    def __init__(self, robot: Robot, solver: bytes | None):
        super().__init__(c.create("torsor_evaluator_create", robot._handle, solver))
        self.error = c.new_error()
        self.error_at = ctypes.addressof(self.error)
        self.q, self.v, self.x = np.zeros(robot.n_q), np.zeros(robot.n_v), np.zeros(robot.n_v)
        self.addresses = [a.ctypes.data for a in (self.q, self.v, self.x)]
        self.plans: dict[str, Plan] = {}
        self.world: World | None = None  # the one that is set

    def set_world(self, world: World) -> None:
        """Sets gravity and the wrenches of later evaluations, unless they are set already."""
        if self.world is world:
            return
        if world.gravity is not None:
            c.call("torsor_evaluator_set_gravity", self._handle, world.gravity.ctypes.data)
        c.call("torsor_evaluator_set_wrenches", self._handle, len(world.frames),
               world.frames.ctypes.data, world.wrenches.ctypes.data)
        self.world = world


class World(NamedTuple):
    """Gravity and the wrenches on a robot. It does not change, so that threads can share it."""

    gravity: Array | None = None  # (3,); None: that of the robot
    frames: NDArray[np.uintp] = np.empty(0, np.uintp)  # indices of frames (n,)
    wrenches: Array = np.empty((0, 6))


class Plan:
    """The results of a quantity, with memory for one state."""

    def __init__(self, robot: Robot, name: str):
        self.name = c.name(name, "the name of a quantity")
        info = c.struct(c.QuantityInfo)
        c.call("torsor_quantity_describe", robot._handle, self.name, ctypes.byref(info))
        self.needs_v, self.needs_x = b"v" in info.inputs.split(), info.inputs.count(b" ") == 2
        self.x_name = info.inputs.split()[-1].decode()
        self.results = []
        for k in range(info.n_results):
            result = c.struct(c.ResultInfo)
            c.call("torsor_quantity_result", robot._handle, self.name, k, ctypes.byref(result))
            self.results.append((result.name.decode(), tuple(result.dims[:result.n_dims])))
        self.out = np.empty(info.entries)
        self.out_at = self.out.ctypes.data
        self.shape = self.results[0][1] if len(self.results) == 1 else None

    def arranged(self, out: Array) -> Results:
        """Returns the results of an array (..., entries) in their shapes."""
        lead = out.shape[:-1]
        if self.shape is not None:
            return out.reshape(lead + self.shape)
        arranged, at = {}, 0
        for name, shape in self.results:
            size = int(np.prod(shape, dtype=int))
            arranged[name] = out[..., at:at + size].reshape(lead + shape)
            at += size
        return arranged


def rows(values: ArrayLike, n: int, size: int, name: str) -> tuple[Array, int]:
    """Returns an aligned array (n, size) whose rows are at regular distances, and the distance in
    numbers. Copies only what the library cannot read."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n, size):
        if array.shape not in ((size,), (1, size)):
            raise ValueError(f"{name} has the shape {array.shape}; it must be ({n}, {size})")
        array = np.broadcast_to(array, (n, size))
    array = np.require(array, requirements="A")
    step, item = array.strides
    if n > 1 and (item != 8 or step < 8 * size or step % 8) or n == 1 and item != 8:
        array = np.ascontiguousarray(array)
        step = 8 * size
    return array, max(step // 8, size)


def vector(values: ArrayLike, size: int, name: str) -> Array:
    """Returns a contiguous, aligned array (size,)."""
    array = np.require(np.ascontiguousarray(values, dtype=np.float64), requirements="A")
    if array.shape != (size,):
        raise ValueError(f"{name} has the shape {array.shape}; it must be ({size},)")
    return array


def finite(values: ArrayLike, size: int, name: str) -> Array:
    """Returns a copy of a vector of finite numbers (size,)."""
    array = vector(values, size, name).copy()
    if not np.isfinite(array).all():
        raise ValueError(f"{name} is {array}; give finite numbers")
    return array


def apart(array: Array, *results: Array) -> Array:
    """Returns an array that does not overlap the memory for results: itself, or a copy."""
    overlaps = any(np.may_share_memory(array, result) for result in results)
    return array.copy() if overlaps else array


def require_memory(array: object, shape: tuple[int, ...], name: str) -> None:
    """Raises ValueError if the library cannot write results to an array of the caller."""
    if not (isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.float64
            and array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
        raise ValueError(f"{name} must be a writable, aligned, C-contiguous array {shape} of float64")

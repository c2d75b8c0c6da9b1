"""Scenes and simulations."""

from __future__ import annotations

import ctypes
import math
import os
from typing import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library as c
from ._engine import engine
from ._functions import Functions
from .recording import Recording
from ._evaluators import vector
from .robots import Robot

Array = NDArray[np.float64]
#: A control law: (t in s, q, v of its robot) -> torques of the motors, N m or N.
ControlLaw = Callable[[float, Array, Array], ArrayLike]
#: A force: (t, q, v, poses (frames, 4, 4), twists (frames, 6) in world axes) -> wrenches (frames, 6)
#: at the origins of the frames in the axes of the world, N m and N.
Force = Callable[[float, Array, Array, Array, Array], ArrayLike]

# Steps of a call without the lock of the interpreter. Ctrl+C acts between calls.
_steps_per_call = 500


def _array(pointer, size: int) -> Array:
    """Returns a copy of an array of the library."""
    if size == 0:
        return np.empty(0)
    return np.frombuffer((ctypes.c_double * size).from_address(
        ctypes.addressof(pointer.contents)), dtype=np.float64).copy()


def _write(pointer, values: ArrayLike, shape: tuple[int, ...], what: str) -> None:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{what} have the shape {array.shape}; it must be {shape}")
    if array.size:
        ctypes.memmove(pointer, np.ascontiguousarray(array).ctypes.data, array.nbytes)


def _frames_of_poses(poses: Array) -> Array:
    """Returns homogeneous poses (n, 4, 4) of rotations by rows and positions (n, 12)."""
    out = np.zeros((len(poses), 4, 4))
    out[:, :3, :3] = poses[:, :9].reshape(-1, 3, 3)
    out[:, :3, 3], out[:, 3, 3] = poses[:, 9:], 1
    return out


class Scene(c.Handle):
    """A scene: an experiment that a Lua file returns. Python functions may be added to it."""

    _destroy = "torsor_scene_destroy"

    def __init__(self, file: str | os.PathLike, *, solver: str | None = None,
                 constraint_solver: str | None = None, integrator: str | None = None,
                 dt: float = 0, duration: float = 0, parameters: Mapping[str, object] = {},
                 **more: object):
        """Loads a scene. solver, constraint_solver, integrator, dt and duration (s) replace those of
        the scene. parameters, and other keywords: parameters of the scene."""
        given = c.settings(parameters, more)
        options = c.struct(c.LoadOptions, settings=given, n_settings=len(given),
                           solver=c.encoded(solver),
                           constraint_solver=c.encoded(constraint_solver),
                           integrator=c.encoded(integrator), dt=dt, duration=duration)
        super().__init__(c.create("torsor_scene_load", engine()._handle, c.encoded(file),
                                  ctypes.byref(options)))
        self._functions = Functions()

    @property
    def dt(self) -> float:
        """The step, s."""
        return c.lib.torsor_scene_dt(self._handle)

    @property
    def duration(self) -> float:
        """The time to simulate, s."""
        return c.lib.torsor_scene_duration(self._handle)

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the scene, as text."""
        return dict(zip(c.names(c.lib.torsor_scene_parameter, self._handle),
                        c.names(c.lib.torsor_scene_value, self._handle)))

    @property
    def warnings(self) -> list[str]:
        """What the scene has that is not used or not plausible, one line each."""
        return c.text(c.lib.torsor_scene_warnings(self._handle)).splitlines()

    @property
    def robot(self) -> Robot:
        """The robots of the scene as one model, with its gravity."""
        return Robot(c.create("torsor_scene_robot", self._handle))

    def add_control(self, name: str, law: ControlLaw, *, robot: str | None = None,
                    period: float = 0) -> None:
        """Adds a control law to simulations that are created later.

        law: (t, q, v) -> torques. It must depend on its arguments only, or snapshots do not repeat.
        robot: its name; may be left out if there is one. period: sampling period, s; 0:
        continuous-time, and the law is called several times in each step.
        Recordings of the scene say that it is not replayable without the function.
        """
        def evaluate(_, at, tau) -> int:
            def act() -> None:
                state = at.contents
                n = state.n_v
                torques = law(state.t, _array(state.q, state.n_q), _array(state.v, n))
                _write(tau, torques, (n,), f"the torques of '{name}'")
            return self._functions.guarded(act)

        function = c.ControlFunction(evaluate)
        control = c.struct(c.Control, name=c.name(name, "the name of a control"),
                           robot=robot and c.name(robot, "the name of a robot"),
                           period=period, function=function)
        c.call("torsor_scene_add_control", self._handle, ctypes.byref(control))
        self._functions.kept.append(function)

    def add_force(self, name: str, force: Force, frames: str | Sequence[str], *,
                  robot: str | None = None) -> None:
        """Adds a force to simulations that are created later.

        force: (t, q, v, poses, twists) -> wrenches (frames, 6), BY the environment ON the frames.
        frames: names of the frames on which it acts. See add_control().
        """
        def evaluate(_, at, tau, F_W) -> int:
            def act() -> None:
                state = at.contents
                n = state.n_frames
                poses = _frames_of_poses(_array(state.X_WF, 12 * n).reshape(n, 12))
                wrenches = force(state.t, _array(state.q, state.n_q), _array(state.v, state.n_v),
                                 poses, _array(state.V_WF_W, 6 * n).reshape(n, 6))
                _write(F_W, wrenches, (n, 6), f"the wrenches of '{name}'")
            return self._functions.guarded(act)

        function = c.ForceFunction(evaluate)
        encoded = [c.name(frame, "the name of a frame") for frame in c.listed(frames)]
        description = c.struct(c.ExternalForce, name=c.name(name, "the name of a force"),
                               robot=robot and c.name(robot, "the name of a robot"),
                               frames=(ctypes.c_char_p * len(encoded))(*encoded),
                               n_frames=len(encoded), function=function)
        c.call("torsor_scene_add_force", self._handle, ctypes.byref(description))
        self._functions.kept.append(function)

    def __repr__(self) -> str:
        return f"<torsor.Scene of {self.duration:g} s in steps of {self.dt:g} s>"

    def simulation(self) -> Simulation:
        """Returns a simulation at the start of the scene."""
        return Simulation(self)

    def record(self, file: str | os.PathLike,
               progress: Callable[[int, int], object] | None = None) -> None:
        """Runs the scene to its end, and writes a recording, .h5 or .csv; torsor.read() reads it.

        progress: called with the numbers of steps done and of all steps, ten times per second.
        """
        def report(_, done: int, all_steps: int) -> int:
            return self._functions.guarded(lambda: progress and progress(done, all_steps))

        callback = c.Progress(report)
        self._functions.call("torsor_scene_record", self._handle, c.encoded(file), callback, None,
                             reports=True)


class Snapshot(c.Handle):
    """A copy of the state of a simulation, with the changes that were made."""

    _destroy = "torsor_snapshot_destroy"


class _Signals(c.Handle):
    """Signals of a simulation, with memory for one row."""

    _destroy = "torsor_signals_destroy"

    def __init__(self, simulation: c.Pointer, names: Iterable[str] | None):
        encoded = (None if names is None
                   else [c.name(name, "the name of a signal") for name in c.listed(names)])
        array = None if encoded is None else (ctypes.c_char_p * len(encoded))(*encoded)
        super().__init__(c.create("torsor_signals_create", simulation, array, len(encoded or ())))
        lib = c.lib
        self.columns = c.names(lib.torsor_signals_name, self._handle)
        self.units = c.names(lib.torsor_signals_unit, self._handle)
        self.frames = c.names(lib.torsor_signals_frame, self._handle)
        self.row = np.empty(len(self.columns))
        self.row_at = self.row.ctypes.data

    def read(self) -> Array:
        """Returns the values at the present state. The first is the time."""
        c.call("torsor_signals_read", self._handle, self.row_at)
        return self.row.copy()


class Simulation(c.Handle):
    """A simulation of a scene. One thread may use it at a time."""

    _destroy = "torsor_simulation_destroy"

    def __init__(self, scene: Scene):
        if not isinstance(scene, Scene):
            raise TypeError(f"a torsor.Simulation is made from a torsor.Scene, not {scene!r}; "
                            "use torsor.load()")
        self.scene = scene
        self._functions = scene._functions
        super().__init__(self._create(scene))
        self._robot: Robot | None = None
        self._signals: dict[str, _Signals] = {}

    def _create(self, scene: Scene) -> c.Pointer:
        out = ctypes.c_void_p()
        self._functions.call("torsor_simulation_create", scene._handle, ctypes.byref(out))
        return c.Pointer(out.value)

    @property
    def robot(self) -> Robot:
        """The robots of the scene as one model."""
        if self._robot is None:
            self._robot = self.scene.robot
        return self._robot

    @property
    def time(self) -> float:
        """The present time, s."""
        return c.lib.torsor_simulation_time(self._handle)

    @property
    def steps(self) -> int:
        """The number of steps since the start."""
        return c.lib.torsor_simulation_steps(self._handle)

    @property
    def hash(self) -> int:
        """A hash of all bits of the state."""
        return c.lib.torsor_simulation_hash(self._handle)

    @property
    def q(self) -> Array:
        """The positions (n_q,), rad or m. They may be set."""
        q = np.empty(self.robot.n_q)
        c.call("torsor_simulation_state", self._handle, q.ctypes.data, None)
        return q

    @q.setter
    def q(self, q: ArrayLike) -> None:
        array = vector(q, self.robot.n_q, "q")
        self._functions.call("torsor_simulation_set_state", self._handle, array.ctypes.data, None)

    @property
    def v(self) -> Array:
        """The velocities (n_v,), rad/s or m/s. They may be set."""
        v = np.empty(self.robot.n_v)
        c.call("torsor_simulation_state", self._handle, None, v.ctypes.data)
        return v

    @v.setter
    def v(self, v: ArrayLike) -> None:
        array = vector(v, self.robot.n_v, "v")
        self._functions.call("torsor_simulation_set_state", self._handle, None, array.ctypes.data)

    def set_torque(self, tau: ArrayLike) -> None:
        """Sets constant torques of the motors (n_v,), N m or N, from the present time on. Control
        laws are added to them."""
        array = vector(tau, self.robot.n_v, "tau")
        self._functions.call("torsor_simulation_set_torque", self._handle, array.ctypes.data)

    def step(self, n: int = 1) -> None:
        """Makes n steps. After an error, the simulation is at its last good step."""
        n = c.whole(n, "n")
        while n > 0:
            part = min(n, _steps_per_call)
            self._functions.call("torsor_simulation_step", self._handle, part)
            n -= part

    @property
    def signals(self) -> list[str]:
        """The names of all signals: sim[name] reads one, and run() records some."""
        return c.names(c.lib.torsor_simulation_signal, self._handle)

    def __getitem__(self, signal: str) -> Array:
        """Returns the present values of a signal, one number for each of its columns."""
        own = self._signals.get(signal)
        if own is None:
            own = self._signals[signal] = _Signals(self._handle, [signal])
        return own.read()[1:]

    def columns(self, signal: str) -> list[str]:
        """Returns the names of the columns of a signal."""
        self[signal]
        return self._signals[signal].columns[1:]

    def run(self, duration: float | None = None, *, every: float | None = None,
            signals: str | Sequence[str] | None = None) -> Recording:
        """Simulates for a time, s, and returns the signals.

        duration: by default, to the end of the scene. every: time between rows, s; by default, one
        step. signals: by default, those that the scene records. The first row is the present state.
        """
        dt = self.scene.dt
        left = max(self.scene.duration - self.time, 0) if duration is None else duration
        period = 1 if every is None else _whole(every, "every", dt, 1)
        steps = _whole(left, "duration", dt, 0)
        own = _Signals(self._handle, signals)
        rows = np.empty((steps // period + 1, len(own.columns)))
        rows[0] = own.read()
        width, at, row = rows.strides[0], rows.ctypes.data, 1
        while row < len(rows):
            part = min(len(rows) - row, max(_steps_per_call // period, 1))
            self._functions.call("torsor_signals_run", own._handle, part * period, period,
                                 at + row * width, None)
            row += part
        self.step(steps - (len(rows) - 1) * period)
        experiment = {} if not self._functions.kept else {"experiment": {"replayable": False}}
        return Recording(rows, own.columns, own.units, own.frames, experiment)

    def snapshot(self) -> Snapshot:
        """Returns a copy of the state."""
        return Snapshot(c.create("torsor_simulation_snapshot", self._handle))

    def restore(self, snapshot: Snapshot) -> None:
        """Returns to a snapshot of this scene. Later steps have the same bits as after it."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"restore() takes a torsor.Snapshot, not {snapshot!r}")
        c.call("torsor_simulation_restore", self._handle, snapshot._handle)

    def save(self) -> bytes:
        """Returns the state as bytes, as `torsor run --save-state` writes them."""
        size = ctypes.c_size_t()
        c.call("torsor_simulation_save", self._handle, None, 0, ctypes.byref(size))
        memory = ctypes.create_string_buffer(size.value)
        c.call("torsor_simulation_save", self._handle, memory, size.value, ctypes.byref(size))
        return memory.raw

    def load(self, state: bytes | bytearray | memoryview) -> None:
        """Sets the state to bytes of save()."""
        state = bytes(memoryview(state))
        c.call("torsor_simulation_load", self._handle, state, len(state))

    def __repr__(self) -> str:
        return f"<torsor.Simulation at t = {self.time:g} s>"


def _whole(time: float, name: str, dt: float, least: int) -> int:
    """Returns the number of steps of a time, s, which is at least `least`."""
    number = time / dt
    if (not math.isfinite(number) or round(number) < least
            or abs(number - round(number)) > 1e-6 * max(1, abs(number))):
        raise ValueError(f"{name} is {time:g} s; it must be a multiple of dt = {dt:g} s, "
                         f"at least {least * dt:g} s")
    return round(number)


def load(file: str | os.PathLike, *, control: ControlLaw | None = None, **options) -> Simulation:
    """Loads a scene and returns a simulation at its start.

    control: a control law of the scene's robot, see Scene.add_control(). Other keywords are those
    of Scene: torsor.load("scene.lua", payload=2, dt=1e-3).
    """
    scene = Scene(file, **options)
    if control is not None:
        scene.add_control("python", control)
    return scene.simulation()

"""Robots, and the quantities of their dynamics at one or at many states."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._engine import engine
from ._evaluators import (Array, Evaluator, Plan, Results, World, apart, evaluate,
                          finite, require_memory, rows, vector)
from .rollouts import Rollout, roll_out

class Robot(c.Handle):
    """A robot: an immutable model with a solver. Several threads may use it.

    The methods take one state, with q of shape (n_q,) and v of shape (n_v,), or n states, with
    q of shape (n, n_q). The results of n states have the index of the state first.
    """

    _destroy = "torsor_robot_destroy"

    def __init__(self, handle: c.Pointer, solver: bytes | None = None):
        super().__init__(handle)
        self._local = threading.local()  # the evaluators of each thread
        self._solver = solver
        self._lock = threading.Lock()  # guards changes of _world
        self._world = World()
        names, unit = c.lib.torsor_robot_name, c.lib.torsor_robot_unit
        #: Names of the entries of q, v, and of joints, frames and links.
        self.coordinates = c.names(names, handle, c.COORDINATES)
        self.dofs = c.names(names, handle, c.DOFS)
        self.n_q, self.n_v = len(self.coordinates), len(self.dofs)
        #: Units of the entries of q and of v.
        self.q_units = [c.text(unit(handle, c.COORDINATES, k)) for k in range(self.n_q)]
        self.v_units = [c.text(unit(handle, c.DOFS, k)) for k in range(self.n_v)]

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return c.names(c.lib.torsor_robot_name, self._handle, c.JOINTS)

    @property
    def frames(self) -> list[str]:
        """Names of the frames: those of links, and others."""
        return c.names(c.lib.torsor_robot_name, self._handle, c.FRAMES)

    @property
    def links(self) -> list[str]:
        """Names of the links."""
        return c.names(c.lib.torsor_robot_name, self._handle, c.LINKS)

    @property
    def warnings(self) -> list[str]:
        """What the file has that is not used or not plausible, one line each."""
        return c.text(c.lib.torsor_robot_warnings(self._handle)).splitlines()

    @property
    def neutral(self) -> Array:
        """The neutral q: zeros and identity quaternions."""
        q = np.empty(self.n_q)
        c.call("torsor_robot_neutral", self._handle, q.ctypes.data)
        return q

    def limits(self) -> dict[str, Array]:
        """Limits of the joints: lower and upper (rad or m), velocity (rad/s or m/s), effort (N m or
        N), each of shape (joints,); infinite if there are none."""
        out = {name: np.empty(len(self.joints)) for name in ("lower", "upper", "velocity", "effort")}
        c.call("torsor_robot_limits", self._handle, *(a.ctypes.data for a in out.values()))
        return out

    def integrate(self, q: ArrayLike, v: ArrayLike, h: float = 1.0) -> Array:
        """Returns q (+) h v: the position after a motion with the constant velocity v for h s."""
        q, v = vector(q, self.n_q, "q"), vector(v, self.n_v, "v")
        out = np.empty(self.n_q)
        c.call("torsor_robot_integrate", self._handle, q.ctypes.data, v.ctypes.data, h,
               out.ctypes.data)
        return out

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """Returns the d of shape (n_v,) with q0 (+) d = q1."""
        q0, q1 = vector(q0, self.n_q, "q0"), vector(q1, self.n_q, "q1")
        out = np.empty(self.n_v)
        c.call("torsor_robot_difference", self._handle, q0.ctypes.data, q1.ctypes.data,
               out.ctypes.data)
        return out

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Sets gravity (3,) in the axes of the world, m/s^2, for later calls."""
        gravity = finite(gravity, 3, "gravity")
        with self._lock:
            self._world = self._world._replace(gravity=gravity)

    def set_wrenches(self, wrenches: Mapping[str, ArrayLike]) -> None:
        """Sets the wrenches of later calls: frame -> (moment, force) (6,), at the origin of the
        frame in its axes, N m and N. An empty mapping removes them."""
        frames = self.frames
        for name in wrenches:
            if name not in frames:
                raise ValueError(f"there is no frame '{name}'; the frames are {', '.join(frames)}")
        indices = np.array([frames.index(name) for name in wrenches], np.uintp)
        values = np.array([finite(F, 6, f"the wrench on '{frame}'")
                           for frame, F in wrenches.items()]).reshape(-1, 6)
        with self._lock:
            self._world = self._world._replace(frames=indices, wrenches=values)

    def _evaluator(self, solver: bytes | None = None) -> Evaluator:
        """Returns the evaluator of this thread with a solver, with the present gravity and
        wrenches. solver: its name, or None for that of the robot."""
        try:
            own = self._local.evaluators[solver]
        except (AttributeError, KeyError):
            own = Evaluator(self, solver)
            self._local.__dict__.setdefault("evaluators", {})[solver] = own
        own.set_world(self._world)
        return own

    def evaluate(self, quantity: str, q: ArrayLike, v: ArrayLike | None = None,
                 x: ArrayLike | None = None, out: Array | None = None) -> Results:
        """Computes a quantity by its name, as in `torsor eval`; torsor.Robot.quantities() lists them.
        "poses:FRAME" computes one frame only.

        q: (n_q,) or (n, n_q). v: (n_v,) or (n, n_v). x: vdot (rad/s^2) or tau (N m), as v.
        out: memory for n states, a C-contiguous array (n, entries).
        Returns an array, or a dict of arrays for a quantity with several results.
        """
        own = self._evaluator()
        plan = own.plans.get(quantity)
        if plan is None:
            plan = own.plans[quantity] = Plan(self, quantity)
        q = np.asarray(q, dtype=np.float64)
        if q.ndim != 1:
            return self._evaluate_batch(own, plan, q, v, x, out)
        if out is not None:
            raise ValueError("out is for several states; q has one")
        if q.shape != own.q.shape:
            raise ValueError(f"q has the shape {q.shape}; it must be {own.q.shape} or (n, {self.n_q})")
        own.q[:] = q
        if plan.needs_v:
            self._load(own.v, v, "v", quantity)
            if plan.needs_x:
                self._load(own.x, x, plan.x_name, quantity)
        result = evaluate(own._handle, plan.name, *own.addresses, plan.out_at, own.error_at)
        if result:
            c.check(result, own.error)
        return plan.arranged(plan.out.copy())

    @staticmethod
    def _load(to: Array, values: ArrayLike | None, name: str, quantity: str) -> None:
        if values is None:
            raise ValueError(f"{quantity} depends on {name}")
        array = np.asarray(values, dtype=np.float64)
        if array.shape != to.shape:
            raise ValueError(f"{name} has the shape {array.shape}; it must be {to.shape}")
        to[:] = array

    def _evaluate_batch(self, own: Evaluator, plan: Plan, q: Array, v: ArrayLike | None,
                        x: ArrayLike | None, out: Array | None) -> Results:
        if q.ndim != 2:
            raise ValueError(f"q has the shape {q.shape}; it must be ({self.n_q},) or (n, {self.n_q})")
        n, entries = len(q), plan.out.size
        given = [("q", q, self.n_q)]
        if plan.needs_v:
            given.append(("v", v, self.n_v))
        if plan.needs_x:
            given.append((plan.x_name, x, self.n_v))
        if out is None:
            out = np.empty((n, entries))
        else:
            require_memory(out, (n, entries), "out")
        kept, members = [], {}
        for key, (name, values, size) in zip("qvx", given):
            if values is None:
                raise ValueError(f"{plan.name.decode()} depends on {name}")
            array, stride = rows(apart(np.asarray(values, np.float64), out), n, size, name)
            kept.append(array)  # until the call has ended
            members[key], members[key + "_stride"] = array.ctypes.data, stride
        states = c.struct(c.States, n=n, **members)
        c.call("torsor_evaluate_batch", own._handle, plan.name, ctypes.byref(states),
               out.ctypes.data, 0)
        return plan.arranged(out)

    def rollout(self, q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | None, dt: float, *,
                steps: int | None = None, integrator: str = "rk4", sample_every: int = 1,
                out: tuple[Array, Array] | None = None) -> Rollout:
        """Computes motions under given torques, many at a time: for controllers that try motions,
        and for reinforcement learning. The joints may only have damping and armature; contacts are
        ignored. Gravity and wrenches are those that were set.

        q: starts, (n_q,) or (n, n_q), rad or m. v: (n_v,) or (n, n_v); None: at rest.
        tau: torques of the motors, N m or N, constant over each step: (n, steps, n_v);
        (steps, n_v): the same for all motions; (n_v,) or (n, 1, n_v): the same in all steps, whose
        number is given; None: none. One start and n lists of torques make n motions.
        dt: s. integrator: "rk4", "semi_implicit_euler" or "euler".
        sample_every: steps between two samples. out: memory for q and v of the samples.
        A motion that fails does not raise an exception: see Rollout.
        """
        return roll_out(self._evaluator(self._solver or b"articulated_body"), q, v, tau, dt, steps,
                        integrator, sample_every, out)

    @staticmethod
    def quantities() -> list[str]:
        """Returns the names of all quantities of evaluate()."""
        return c.names(c.lib.torsor_quantity_name)

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Returns tau (n_v,), N m or N: M vdot + C v + g - sum J^T F. vdot in rad/s^2 or m/s^2."""
        return self.evaluate("inverse_dynamics", q, v, vdot)

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Returns vdot (n_v,), rad/s^2 or m/s^2, at the torques tau, N m or N."""
        return self.evaluate("forward_dynamics", q, v, tau)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Returns M (n_v, n_v), kg m^2, kg m or kg."""
        return self.evaluate("mass_matrix", q)

    def inverse_mass_matrix(self, q: ArrayLike) -> Array:
        """Returns the inverse of M (n_v, n_v)."""
        return self.evaluate("inverse_mass_matrix", q)

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Returns C (n_v, n_v), N m s/rad, such that Mdot - 2C is skew-symmetric."""
        return self.evaluate("coriolis_matrix", q, v)

    def gravity(self, q: ArrayLike) -> Array:
        """Returns g (n_v,), N m or N: the torques that hold the robot at rest."""
        return self.evaluate("gravity", q)

    def bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Returns C v + g (n_v,), N m or N."""
        return self.evaluate("bias", q, v)

    def torque_split(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> dict[str, Array]:
        """Returns the inertial, centrifugal, coriolis and gravity parts of the torque (n_v,), N m."""
        return self.evaluate("torque_split", q, v, vdot)

    def inverse_dynamics_partials(self, q: ArrayLike, v: ArrayLike,
                                  vdot: ArrayLike) -> dict[str, Array]:
        """Returns dtau_dq (N m/rad) and dtau_dv (N m s/rad), each (n_v, n_v). d/dq is along the dof."""
        return self.evaluate("inverse_dynamics_partials", q, v, vdot)

    def forward_dynamics_partials(self, q: ArrayLike, v: ArrayLike,
                                  tau: ArrayLike) -> dict[str, Array]:
        """Returns dvdot_dq, dvdot_dv and dvdot_dtau, each (n_v, n_v)."""
        return self.evaluate("forward_dynamics_partials", q, v, tau)

    def constrained_forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Returns vdot (n_v,) of a mechanism with closures and mimic joints. q closes its loops."""
        return self.evaluate("constrained_forward_dynamics", q, v, tau)

    def constrained_inverse_dynamics(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Returns the torques (n_v,) of the actuated joints of a mechanism with closures, N m or N.
        The accelerations of independent joints are used; the others follow from them."""
        return self.evaluate("constrained_inverse_dynamics", q, v, vdot)

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Returns the kinetic energy, J."""
        return self.evaluate("kinetic_energy", q, v)

    def potential_energy(self, q: ArrayLike) -> Array:
        """Returns the potential energy, J; zero for a mass at the origin of the world."""
        return self.evaluate("potential_energy", q)

    def centroidal(self, q: ArrayLike, v: ArrayLike) -> dict[str, Array]:
        """Returns mass (kg), com (m), com_velocity (m/s), com_jacobian (3, n_v), momentum (6,) about
        the centre of mass (N m s, N s), and its matrices A and A_dot (6, n_v), in world axes."""
        return self.evaluate("centroidal", q, v)

    def regressor(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Returns Y (n_v, 10 n_body): the torque is Y times the inertial parameters of the bodies."""
        return self.evaluate("regressor", q, v, vdot)

    def pose(self, frame: str, q: ArrayLike) -> Array:
        """Returns the homogeneous pose (4, 4) of a frame in the world, m."""
        return self._of_frame("poses", frame, q)

    def twist(self, frame: str, q: ArrayLike, v: ArrayLike) -> Array:
        """Returns the body-fixed twist (omega, v) (6,) of a frame in its axes, rad/s and m/s."""
        return self._of_frame("twists", frame, q, v)

    def jacobian(self, frame: str, q: ArrayLike) -> Array:
        """Returns J (6, n_v), angular rows first: the twist of the frame in its axes is J v."""
        return self._of_frame("jacobians", frame, q)

    def imu(self, frame: str, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Returns what an inertial measurement unit at a frame measures (6,), in its axes: angular
        velocity, rad/s, and acceleration minus gravity, m/s^2."""
        return self._of_frame("imu", frame, q, v, vdot)

    def joint_wrenches(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Returns the wrench (moment, force) that each joint transmits to its link (joints, 6), at
        the origin of the link in its axes, N m and N."""
        return self.evaluate("joint_wrenches", q, v, vdot)

    def jacobian_rate(self, frame: str, q: ArrayLike, v: ArrayLike) -> Array:
        """Returns the time derivative of jacobian() (6, n_v)."""
        return self._of_frame("jacobian_rates", frame, q, v)

    def _of_frame(self, quantity: str, frame: str, q: ArrayLike, v: ArrayLike | None = None,
                  x: ArrayLike | None = None) -> Array:
        out = self.evaluate(f"{quantity}:{frame}", q, v, x)
        return out[..., 0, :] if quantity in ("twists", "imu") else out[..., 0, :, :]

    def __repr__(self) -> str:
        return f"<torsor.Robot with {self.n_v} dof ({', '.join(self.dofs)})>"


def robot(file: str | os.PathLike, *, solver: str | None = None,
          gravity: Sequence[float] | None = None, strict: bool = False,
          floating_base: bool = False, collisions: bool = False,
          parameters: Mapping[str, object] = {}, **more: object) -> Robot:
    """Reads a robot file, a Lua file that returns a robot, or a scene, whose robots are one model.

    solver: the solver of the quantities, newton_euler by default. gravity: m/s^2, in world axes.
    strict, floating_base, collisions: see `torsor eval --help`.
    parameters, and other keywords: parameters of a Lua file.
    """
    given = c.settings(parameters, more)
    options = c.struct(c.LoadOptions, strict=int(strict), floating_base=int(floating_base),
                       collisions=int(collisions), settings=given, n_settings=len(given),
                       solver=c.encoded(solver))
    if gravity is not None:
        options.gravity = (ctypes.c_double * 3)(*vector(gravity, 3, "gravity"))
    return Robot(c.create("torsor_robot_load", engine()._handle, c.encoded(file),
                          ctypes.byref(options)), options.solver)

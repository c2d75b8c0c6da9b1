"""Many motions of a robot under given torques."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library as c
from ._evaluators import Array, Evaluator, apart, require_memory, rows


@dataclass(frozen=True)
class Rollout:
    """The samples of motions. The first sample is the start. From one start with one list of
    torques there is one motion, and the arrays have no index of the motion."""

    #: Times of the samples (samples,), s.
    time: Array
    #: Positions (n, samples, n_q) and velocities (n, samples, n_v). NaN after a motion has failed.
    q: Array
    v: Array
    #: Number of steps of each motion (n,): less than those requested if it has failed.
    done: NDArray[np.uint64]
    #: Indices of the motions that have failed.
    failed: NDArray[np.intp]
    #: Why the first of them has failed, or "".
    problem: str


def _batch(values: ArrayLike | None, size: int, name: str) -> Array | None:
    """Returns an array (n, size), or (1, size) from one state."""
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise ValueError(f"{name} has the shape {array.shape}; it must be ({size},) or (n, {size})")
    return array[np.newaxis] if array.ndim == 1 else array


def _torques(tau: ArrayLike | None, n_v: int, steps: int | None) -> tuple[Array | None, int]:
    """Returns an array (1 or n, 1 or steps, n_v), and the number of steps."""
    array = None if tau is None else np.asarray(tau, dtype=np.float64)
    if array is not None:
        if array.ndim not in (1, 2, 3) or array.shape[-1] != n_v:
            raise ValueError(f"tau has the shape {array.shape}; it must be (n, steps, {n_v}), "
                             f"(steps, {n_v}) or ({n_v},)")
        given = array.shape[-2] if array.ndim > 1 else 1
        if steps is None and array.ndim > 1:
            steps = given
        array = array.reshape((1,) * (3 - array.ndim) + array.shape)
    if steps is None:
        raise ValueError("steps is missing; give the number of steps, or tau for each step")
    steps = c.whole(steps, "steps", 1)
    if array is not None and given not in (1, steps):
        raise ValueError(f"tau has {given} steps, and steps is {steps}")
    return array, steps


def _count(**given: Array | None) -> int:
    """Returns the number of motions: the common first length of arrays, where 1 fits all."""
    lengths = {name: len(array) for name, array in given.items() if array is not None}
    several = {name: n for name, n in lengths.items() if n != 1}
    if len(set(several.values())) > 1:
        raise ValueError("the numbers of motions differ: "
                         + ", ".join(f"{name} has {n}" for name, n in several.items()))
    return next(iter(several.values()), 1)


def _set_torques(motions: c.Motions, tau: Array) -> Array:
    """Sets the torques of motions, and returns the array to keep. Copies only what the library
    cannot read."""
    if any(step % 8 or step < tau.shape[2] * 8
           for step, length in zip(tau.strides[:2], tau.shape) if length > 1 and step) or (
               tau.strides[2] != 8 and tau.shape[2] > 1):
        tau = np.ascontiguousarray(tau)
    tau = np.require(tau, requirements="A")
    motions.tau = tau.ctypes.data
    shared, constant = (tau.shape[k] == 1 or tau.strides[k] == 0 for k in (0, 1))
    motions.tau_is_shared, motions.tau_is_constant = int(shared), int(constant)
    motions.tau_stride = 0 if shared else tau.strides[0] // 8
    motions.tau_step_stride = 0 if constant else tau.strides[1] // 8
    return tau


def roll_out(own: Evaluator, q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | None, dt: float,
             steps: int | None, integrator: str, sample_every: int,
             out: tuple[Array, Array] | None) -> Rollout:
    """Implements Robot.rollout()."""
    n_q, n_v = own.q.size, own.v.size
    is_single = all(x is None or np.ndim(x) < limit for x, limit in ((q, 2), (v, 2), (tau, 3)))
    q, v = _batch(q, n_q, "q"), _batch(v, n_v, "v")
    torques, steps = _torques(tau, n_v, steps)
    every = c.whole(sample_every, "sample_every", 1)
    if steps % every:
        raise ValueError(f"steps is {steps}; it must be a multiple of sample_every = {every}")
    if not dt > 0:
        raise ValueError(f"dt is {dt} s; it must be positive")
    n, samples = _count(q=q, v=v, tau=torques), steps // every + 1
    shapes = (n, samples, n_q), (n, samples, n_v)
    q_out, v_out = (np.empty(shape) for shape in shapes) if out is None else out
    for array, shape, name in zip((q_out, v_out), shapes, "qv"):
        require_memory(array, shape, f"out ({name})")
    q, v, torques = (None if array is None else apart(array, q_out, v_out)
                     for array in (q, v, torques))
    q, q_stride = rows(q, n, n_q, "q")
    done = np.full(n, steps, np.uint64)
    motions = c.struct(c.Motions, integrator=c.name(integrator, "integrator"), dt=dt, n=n,
                       steps=steps, sample_every=every, q=q.ctypes.data, q_stride=q_stride,
                       done=done.ctypes.data)
    if v is not None:
        v, motions.v_stride = rows(v, n, n_v, "v")
        motions.v = v.ctypes.data
    kept = None if torques is None else _set_torques(motions, torques)
    error = c.new_error()
    result = c.lib.torsor_rollout(own._handle, ctypes.byref(motions), q_out.ctypes.data,
                                  v_out.ctypes.data, ctypes.byref(error))
    del kept  # the torques live until the call has ended
    failed = np.flatnonzero(done < steps)
    if result != 1 or not failed.size:  # not the error of motions
        c.check(result, error)
    if is_single:
        q_out, v_out = q_out[0], v_out[0]
    return Rollout(np.arange(samples) * (dt * every), q_out, v_out, done, failed,
                   c.text(error.text))

"""A tutorial of the Python package of Torsor (docs/programs.md).

Editors that know cells run it step by step, such as Jupyter with jupytext, Visual Studio Code and
Spyder. As a program: python3 docs/python_tutorial.py, in a checkout.
"""

# %% Robots
# A robot is read from a URDF file, from a Lua file, or from a scene.
from pathlib import Path

import numpy as np

import torsor

root = Path(__file__).parents[1]
robot = torsor.robot(root / "scripts/robots/iiwa.lua")
print(robot)

# %% Quantities at one state
# All units are SI. The equation of motion is M vdot + C v + g = tau.
q = np.array([0, 0.5, 0, -1.2, 0, 0.8, 0])
v = np.full(7, 0.3)
M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, v), robot.gravity(q)
vdot = robot.forward_dynamics(q, v, tau=np.zeros(7))
residual = np.abs(M @ vdot + C @ v + g).max()
print(f"residual of the equation of motion: {residual:.1e} N m")
assert residual < 1e-10

# %% Frames
# The Jacobian of a frame is in the axes of the frame, angular rows first.
frame = robot.frames[-1]
print(f"{frame} is at", robot.pose(frame, q)[:3, 3].round(3), "m")
assert np.allclose(robot.jacobian(frame, q) @ v, robot.twist(frame, q, v))

# %% Many states
# One call computes all of them. The rows may be columns of a larger table: nothing is copied.
states = np.random.default_rng(1).uniform(-1, 1, (100_000, 21))
torques = robot.inverse_dynamics(states[:, :7], states[:, 7:14], states[:, 14:])
print("largest torques:", np.abs(torques).max(axis=0).round(1), "N m")

# %% Many motions
# A sampling controller tries torques, and takes those of the best motion. One call computes all
# motions, several of them in each SIMD register. The first sample of a motion is its start.
random = np.random.default_rng(2)
tried = robot.gravity(q) + random.normal(0, 10, (1000, 20, 7))
rollout = robot.rollout(q, None, tried, dt=0.01, sample_every=20)
error = np.linalg.norm(rollout.q[:, -1] - [0.1, 0.6, 0, -1.1, 0, 0.8, 0], axis=1)
print(f"the best of {len(error)} motions misses the target by {error.min():.2f} rad,",
      f"the worst one by {error.max():.2f} rad")
assert rollout.problem == ""

# %% Simulations
# Keywords are parameters of the scene, or settings such as dt and solver.
sim = torsor.load(root / "scenes/double_pendulum.lua", gap=0.01)
recording = sim.run(5.0, every=0.01)
gap = np.linalg.norm(recording["first.q"] - recording["second.q"], axis=1)
print(f"the pendulums are {gap[0]:.2f} rad apart at the start, {gap[-1]:.2f} rad after 5 s")
assert abs(recording["energy.error"]).max() < 1e-6

# %% Snapshots
# A simulation that returns to a snapshot repeats its motion bit by bit.
snapshot = sim.snapshot()
sim.step(100)
expected = sim.hash
sim.restore(snapshot)
sim.step(100)
assert sim.hash == expected

# %% A control law in Python
# It holds the arm by gravity compensation and PD. The scene alone does not repeat this run, so
# recordings are marked.
model = torsor.robot(root / "scripts/robots/iiwa.lua")
target = np.array([0.3, 0.6, 0, -1.0, 0, 0.5, 0])
stiffness = np.array([800, 800, 400, 400, 100, 50, 20])


def hold(t, q, v):
    """Returns torques (7,), N m."""
    return model.gravity(q) + stiffness * (target - q) - 0.2 * stiffness * v


scene = torsor.Scene(root / "scenes/iiwa_free_swing.lua", duration=3)
scene.add_control("hold", hold, period=1e-3)
held = scene.simulation().run(every=0.01)
error = np.abs(held["iiwa.q"][-1] - target).max()
print(f"error after {held.time[-1]:g} s: {error:.1e} rad; replayable: {held.replayable}")
assert error < 0.05 and not held.replayable

# %% Recordings
# Scene.record() writes the file that `torsor run` writes, and torsor.read() reads it.
torsor.Scene(root / "scenes/double_pendulum.lua", duration=1).record("pendulums.h5")
pendulums = torsor.read("pendulums.h5")
print(pendulums.columns[:3], pendulums.units["first.q.joint1"], pendulums.replayable)

# %% Studies
# Many runs on all cores. The results are the same for any number of threads.
study = torsor.study(root / "scenes/payload_robustness.lua", "payload.h5", existing="replace",
                     grid={"payload": [0, 4], "law": ["pid", "computed_torque"]}, friction=0)
for law, payload, worst in zip(study["law"], study["payload"], study["worst_error"]):
    print(f"{law:16} payload {payload:g} kg: largest error {worst:.4f} rad")

# %% Errors
# They name the place and say what to do.
try:
    torsor.load(root / "scenes/double_pendulum.lua", gapp=1)
except torsor.Error as error:
    print("error:", error)

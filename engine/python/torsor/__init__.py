"""Torsor: multibody dynamics of robots.

    import torsor
    robot = torsor.robot("iiwa.urdf")
    M = robot.mass_matrix(q)                  # (7, 7); q of shape (n, 7) gives (n, 7, 7)
    sim = torsor.load("scene.lua", payload=2)
    recording = sim.run()

Units are SI and radians. Twists are (omega, v), wrenches are (moment, force) by the environment on
the body, and quaternions are (w, x, y, z). Arrays are in the order of robot.coordinates and
robot.dofs. docs/programs.md describes the package.
"""

from ._engine import configure, warnings
from ._library import Error, lib as _lib
from .recording import Recording, read
from .robots import Robot, robot
from .rollouts import Rollout
from .scenes import Scene, Simulation, Snapshot, load
from .studies import Study, read_study, study

__version__ = _lib.torsor_version().decode()
__all__ = ["Error", "Recording", "Robot", "Rollout", "Scene", "Simulation", "Snapshot", "Study",
           "configure", "load", "read", "read_study", "robot", "study", "warnings"]

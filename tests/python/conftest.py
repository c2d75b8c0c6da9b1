"""Paths and robots that the tests share."""

from pathlib import Path

import pytest

import torsor

ROOT = Path(__file__).parents[2]
PENDULUM = """
local torsor = require "torsor"
local p = torsor.params{ angle = torsor.uniform(0.1, 1), length = 1.0, kind = torsor.choice{ "a", "b" } }
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "link", joint = { "revolute", name = "joint", axis = {0, 1, 0} },
          inertia = { mass = 1, com = {0, 0, -p.length},
                      about_com = { Ixx = 0, Iyy = 0, Izz = 0 } } }
arm:set{ q = { p.angle } }
local world = torsor.world{}
world:add(arm)
return world:experiment{ duration = 1, integrator = { "rk4", dt = 1e-3 },
                         record = { "arm.q", "energy" }, record_interval = 0.1 }
"""


@pytest.fixture
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def iiwa() -> torsor.Robot:
    """An arm with seven joints."""
    return torsor.robot(ROOT / "scripts/robots/iiwa.lua")


@pytest.fixture(scope="session")
def quadruped() -> torsor.Robot:
    """A robot with a floating base."""
    return torsor.robot(ROOT / "scripts/robots/quadruped.lua")


@pytest.fixture
def pendulum(tmp_path) -> Path:
    """A scene with parameters that vary: a number and a text."""
    file = tmp_path / "pendulum.lua"
    file.write_text(PENDULUM)
    return file

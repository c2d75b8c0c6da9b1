"""Paths and robots that the tests share."""

from pathlib import Path

import pytest

import torsor

ROOT = Path(__file__).parents[2]


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

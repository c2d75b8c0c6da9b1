"""Arguments that cannot be used: each raises one exception that says what is wrong."""

import threading

import numpy as np
import pytest

import torsor


@pytest.mark.parametrize("value", [12345, True, 0, 2.5, "iiwa.urdf", None])
def test_classes_take_no_numbers_as_handles(value):
    for made in (torsor.Robot, torsor.Snapshot, torsor.Study):
        with pytest.raises(TypeError, match="use torsor.robot"):
            made(value)
    with pytest.raises(TypeError, match="is made from a torsor.Scene"):
        torsor.Simulation(value)


@pytest.mark.parametrize("n, kind", [(-1, ValueError), (1.5, TypeError), ("2", TypeError),
                                     (2**64, ValueError)])
def test_numbers_of_steps(pendulum, n, kind):
    sim = torsor.load(pendulum)
    with pytest.raises(kind, match="^n is "):
        sim.step(n)
    assert sim.steps == 0
    sim.step(np.int64(2))
    assert sim.steps == 2


@pytest.mark.parametrize("options, message", [
    ({"every": 0}, "every is 0 s; it must be a multiple of dt = 0.001 s, at least 0.001 s"),
    ({"every": -0.01}, "every is -0.01 s"),
    ({"every": float("nan")}, "every is nan s"),
    ({"every": float("inf")}, "every is inf s"),
    ({"duration": -1}, "duration is -1 s; it must be a multiple of dt = 0.001 s, at least 0 s"),
    ({"duration": float("nan")}, "duration is nan s"),
    ({"duration": 0.0005}, "duration is 0.0005 s"),
])
def test_times_of_runs(pendulum, options, message):
    with pytest.raises(ValueError, match=message):
        torsor.load(pendulum).run(**options)


def test_a_run_beyond_the_end_of_the_scene_is_empty(pendulum):
    sim = torsor.load(pendulum)
    sim.step(1500)
    assert len(sim.run().time) == 1


@pytest.mark.parametrize("dt", [-1e-3, float("nan"), float("inf")])
def test_steps_of_scenes(pendulum, tmp_path, dt):
    for act in (lambda: torsor.Scene(pendulum, dt=dt),
                lambda: torsor.study(pendulum, tmp_path / "t.h5", samples=1, dt=dt)):
        with pytest.raises(torsor.Error, match="the step must be a positive number of seconds"):
            act()


def test_whole_numbers_stay_whole(tmp_path):
    file = tmp_path / "arm.lua"
    file.write_text("""
local p = require("torsor").params{ n = 1, scale = 1.0 }
local arm = require("torsor").robot{ name = "arm" }
arm:link{ name = "link" .. p.n .. "x" .. p.scale,
          joint = { "revolute", name = "joint", axis = {0, 1, 0} },
          inertia = { mass = 1, com = {0, 0, -1}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } } }
return arm
""")
    for n in (2, np.int32(2)):
        assert torsor.robot(file, n=n, scale=n).links == ["link2x2.0"]
    assert torsor.robot(file, n=2**60 + 1).links == ["link1152921504606846977x1.0"]
    with pytest.raises(torsor.Error, match="'n' is '1000.*it must be a finite number"):
        torsor.robot(file, n=10**400)


def test_parameters_are_given_once(pendulum, tmp_path):
    for act in (lambda **more: torsor.Scene(pendulum, **more),
                lambda **more: torsor.robot(pendulum, **more),
                lambda **more: torsor.study(pendulum, tmp_path / "table.h5", **more)):
        with pytest.raises(TypeError, match="the parameter 'length' is given twice"):
            act(parameters={"length": 2}, length=3)


def test_gravity_and_wrenches_are_finite(root):
    robot = torsor.robot(root / "scripts/robots/iiwa.lua")
    expected = robot.gravity(np.ones(7))
    with pytest.raises(ValueError, match="gravity is .*nan.*; give finite numbers"):
        robot.set_gravity([0, 0, np.nan])
    with pytest.raises(ValueError, match="the wrench on 'link7' is .*inf.*; give finite numbers"):
        robot.set_wrenches({"link7": [np.inf, 0, 0, 0, 0, 0]})
    assert np.array_equal(robot.gravity(np.ones(7)), expected)


def test_one_name_is_a_list_of_one(pendulum):
    scene = torsor.Scene(pendulum)
    scene.add_force("push", lambda *_: np.zeros((1, 6)), "link")
    assert scene.simulation().run(0.01, signals="arm.q").columns == ["time", "arm.q.joint"]


def test_states_are_bytes(pendulum):
    sim = torsor.load(pendulum)
    sim.step(3)
    state, expected = sim.save(), sim.hash
    for given in (state, bytearray(state), memoryview(state), np.frombuffer(state, np.uint8)):
        sim.step()
        sim.load(given)
        assert sim.hash == expected
    for given in ("abc", None, 5):
        with pytest.raises(TypeError, match="bytes-like"):
            sim.load(given)


def test_strings_with_nul_characters(pendulum, tmp_path, iiwa):
    scene = torsor.Scene(pendulum)
    for act in (lambda: torsor.robot("iiwa\0.urdf"), lambda: torsor.read("a\0.h5"),
                lambda: iiwa.evaluate("bias\0", np.zeros(7)),
                lambda: torsor.Scene(pendulum, kind="a\0b"),
                lambda: torsor.Scene(pendulum, solver="newton_euler\0"),
                lambda: scene.add_control("a\0b", lambda t, q, v: [0]),
                lambda: scene.add_force("push", lambda *_: [], ["link\0"]),
                lambda: scene.simulation()["energy\0"]):
        with pytest.raises(ValueError, match="contains a NUL character"):
            act()


def test_names_of_controls(pendulum):
    scene = torsor.Scene(pendulum)
    for name in ("", "a.b", "two\nlines"):
        with pytest.raises(torsor.Error, match="the name of a control is text on one line"):
            scene.add_control(name, lambda t, q, v: [0])
    with pytest.raises(TypeError, match="the name of a control is 5; it must be a string"):
        scene.add_control(5, lambda t, q, v: [0])
    scene.add_control("hold", lambda t, q, v: [0])
    with pytest.raises(torsor.Error, match="has a control 'hold' already"):
        scene.add_control("hold", lambda t, q, v: [0])


def test_grids_are_sequences(pendulum, tmp_path):
    def study(grid, **options):
        return torsor.study(pendulum, tmp_path / "grid.h5", grid=grid, existing="replace", kind="a",
                            **options)

    for values in (range(1, 4), [1, 2, 3], (1.0, 2, 3), np.arange(1, 4), "1:3:3"):
        assert list(study({"angle": values})["angle"]) == [1, 2, 3]
    for values, kind in (([], ValueError), (["a,b"], ValueError), (None, TypeError),
                         ([[1, 2]], TypeError), ([None], TypeError)):
        with pytest.raises(kind, match="'angle' is "):
            study({"angle": values})
    with pytest.raises(TypeError, match="the name of a parameter is 1"):
        study({1: [1, 2]})


@pytest.mark.parametrize("options, kind, message", [
    ({"jobs": -1}, ValueError, "jobs is -1"), ({"jobs": 2**40}, ValueError, "jobs is 1099511627776"),
    ({"jobs": 5000}, torsor.Error, "a study has at most 4096 workers"),
    ({"jobs": 1.5}, TypeError, "jobs is 1.5"), ({"samples": "3"}, TypeError, "samples is '3'"),
    ({"design": 3}, TypeError, "design is 3"), ({"limit": float("nan")}, torsor.Error, "limit is nan")])
def test_numbers_of_studies(pendulum, tmp_path, options, kind, message):
    with pytest.raises(kind, match=message):
        torsor.study(pendulum, tmp_path / "table.h5", **{"samples": 2, **options})


def test_samples_that_were_not_run_are_nan(pendulum, tmp_path):
    def stop(done, every):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        torsor.study(pendulum, tmp_path / "table.h5", samples=100_000, progress=stop)
    study = torsor.read_study(tmp_path / "table.h5")
    assert study.status[-1] == "not_run" and study["kind"][-1] == ""
    assert np.isnan(study["angle"][-1]) and all(np.isnan(study[name][-1]) for name in study.outcomes)


def test_a_control_law_cannot_use_its_simulation(pendulum):
    sims = []

    def law(t, q, v):
        if sims:
            sims.pop().step()
        return [0]

    sim = torsor.load(pendulum, control=law)
    sims.append(sim)
    with pytest.raises(torsor.Error, match="simulation: a function that it calls must not use it"):
        sim.step()
    assert sim.steps == 0
    sim.step()
    assert sim.steps == 1


def test_threads_may_change_gravity_and_wrenches(iiwa, root):
    robot = torsor.robot(root / "scripts/robots/iiwa.lua")
    q, frames = np.full(7, 0.3), robot.frames
    expected = []
    for n in range(4):
        robot.set_wrenches({frame: np.ones(6) for frame in frames[-n:] if n})
        expected.append(robot.inverse_dynamics(q, q, q))
    wrong = []

    def read():
        for _ in range(500):
            tau = robot.inverse_dynamics(q, q, q)
            if not any(np.array_equal(tau, each) for each in expected):
                wrong.append(tau)

    def write():
        for k in range(500):
            robot.set_wrenches({frame: np.ones(6) for frame in frames[-(k % 4):] if k % 4})

    threads = [threading.Thread(target=act) for act in (read, read, write, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    robot.set_wrenches({})
    assert np.array_equal(robot.inverse_dynamics(q, q, q), expected[0])

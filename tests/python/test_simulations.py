"""Simulations, functions of Python, recordings and studies."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import torsor


def test_a_pendulum_swings(pendulum):
    sim = torsor.load(pendulum, angle=0.01, length=2)
    assert sim.scene.parameters["length"] == "2"
    period = 2 * np.pi * np.sqrt(2 / 9.81)
    assert sim.scene.dt == 1e-3
    sim.step(round(period / 1e-3))
    assert sim.q[0] == pytest.approx(0.01, rel=1e-4)
    assert sim.time == pytest.approx(period, abs=1e-3)
    assert sim.steps == round(period / 1e-3)


def test_objects_describe_themselves(pendulum):
    sim = torsor.load(pendulum)
    sim.step(10)
    assert repr(sim) == "<torsor.Simulation at t = 0.01 s>"
    assert repr(sim.scene) == "<torsor.Scene of 1 s in steps of 0.001 s>"
    assert repr(sim.robot) == "<torsor.Robot with 1 dof (joint)>"


def test_states_are_set(pendulum):
    sim = torsor.load(pendulum)
    sim.q, sim.v = [0.5], [2]
    assert sim.q == [0.5] and sim.v == [2]
    with pytest.raises(ValueError):
        sim.q = [1, 2]
    sim.set_torque([9.81 * np.sin(0.5)])  # holds the arm
    sim.v = [0]
    sim.step(1000)
    assert sim.q[0] == pytest.approx(0.5, abs=1e-9)


def test_snapshots_repeat_bits(pendulum):
    sim = torsor.load(pendulum)
    sim.step(10)
    snapshot, state = sim.snapshot(), sim.save()
    sim.step(50)
    expected = sim.hash
    sim.restore(snapshot)
    assert sim.steps == 10
    sim.step(50)
    assert sim.hash == expected
    other = torsor.load(pendulum)
    other.load(state)
    other.step(50)
    assert other.hash == expected
    with pytest.raises(torsor.Error):
        other.load(state[:-1])


def test_runs_give_arrays_of_signals(pendulum):
    sim = torsor.load(pendulum)
    recording = sim.run(0.5, every=0.05)
    assert recording.time == pytest.approx(np.arange(11) * 0.05)
    assert recording["arm.q.joint"].shape == (11,)
    assert recording["arm.q"].shape == (11, 1)
    assert recording.units["arm.q.joint"] == "rad"
    assert np.shares_memory(recording["energy"], recording.values_array)
    assert set(recording) == set(recording.columns) and len(recording) == len(recording.columns)
    assert recording["arm.q.joint"][-1] == sim.q[0] == sim["arm.q"][0]
    assert sim.columns("arm.q") == ["arm.q.joint"]
    with pytest.raises(KeyError, match="arm.q.joint"):
        recording["arm.p"]
    with pytest.raises(KeyError, match="5 is not a name; give the name of a column"):
        recording[5]
    assert "arm.q" in recording and 5 not in recording and None not in recording
    with pytest.raises(torsor.Error, match="there is no signal 'arm.p'"):
        sim["arm.p"]
    with pytest.raises(ValueError, match="multiple of dt"):
        sim.run(0.0005)
    assert len(sim.run().time) == 501  # to the end of the scene
    assert "arm.pose.link" in sim.signals


def test_a_callable_is_a_control_law(pendulum, tmp_path):
    def law(t, q, v):
        return 9.81 * np.sin(q) + 100 * (1 - q) - 20 * v

    sim = torsor.load(pendulum, control=law, duration=2)
    recording = sim.run(every=0.1)
    # Gravity is cancelled: a critically damped oscillator with the double pole -10/s.
    t, gap = recording.time, 1 - recording["arm.q.joint"][0]
    assert recording["arm.q.joint"] == pytest.approx(1 - gap * (1 + 10 * t) * np.exp(-10 * t),
                                                     abs=1e-6)
    assert not recording.replayable
    file = tmp_path / "held.h5"
    sim.scene.record(file)
    held = torsor.read(file)
    assert held.description["experiment"]["host_functions"] == ["arm.python"]
    assert not held.replayable
    assert held["arm.q.joint"][-1] == recording["arm.q.joint"][-1]


def test_a_sampled_control_law_is_called_once_a_period(pendulum):
    times = []
    scene = torsor.Scene(pendulum)
    scene.add_control("count", lambda t, q, v: times.append(t) or [0], period=0.01)
    sim = scene.simulation()
    sim.step(100)
    assert times[:3] == pytest.approx([0, 0.01, 0.02])
    assert len(set(times)) in (10, 11)


def test_a_callable_is_a_force(pendulum):
    scene = torsor.Scene(pendulum)

    def lift(t, q, v, poses, twists):
        assert poses.shape == (1, 4, 4) and twists.shape == (1, 6)
        # The weight of the point mass at (0, 0, -1) of the frame, about the origin of the frame.
        arm = poses[0, :3, :3] @ [0, 0, -1]
        return [[*np.cross(arm, [0, 0, 9.81]), 0, 0, 9.81]]

    scene.add_force("lift", lift, ["link"])
    sim = scene.simulation()
    start = sim.q
    sim.step(200)
    assert sim.q == pytest.approx(start, abs=1e-12)
    with pytest.raises(torsor.Error, match="lin"):
        scene.add_force("other", lift, ["lin"])


def test_exceptions_of_callables_are_raised(pendulum):
    class Failure(Exception):
        pass

    def law(t, q, v):
        if t > 0.05:
            raise Failure("at 0.05 s")
        return [0]

    sim = torsor.load(pendulum, control=law)
    with pytest.raises(Failure, match="at 0.05 s"):
        sim.step(1000)
    assert 0.04 < sim.time < 0.06
    with pytest.raises(ValueError, match=r"the torques of 'python' have the shape \(2,\)"):
        torsor.load(pendulum, control=lambda t, q, v: [0, 0])


INTERRUPTED = """
import os, signal, sys, threading, time, torsor

scene = torsor.Scene(sys.argv[1], duration=10_000)
if sys.argv[2] != "record":
    scene.add_control("law", lambda t, q, v: [0.1])
act = {"step": lambda: scene.simulation().step(10_000_000),
       "run": lambda: scene.simulation().run(1000, every=1),
       "record": lambda: scene.record(sys.argv[3]),
       "study": lambda: torsor.study(sys.argv[1], sys.argv[3], samples=10_000, jobs=1,
                                     existing="replace")}[sys.argv[2]]

ready = threading.Semaphore(0)

def interrupt():
    for k in range(20):
        ready.acquire()
        time.sleep(0.1 + 0.0013 * k)
        os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
for k in range(20):
    try:
        ready.release()
        act()
    except KeyboardInterrupt:
        continue
    sys.exit("it was not interrupted")
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print("done")
"""


@pytest.mark.parametrize("act", ["step", "run", "record", "study"])
def test_ctrl_c_ends_calls(pendulum, tmp_path, act):
    # Most interrupts come while the library calls a function of Python.
    out = subprocess.run([sys.executable, "-c", INTERRUPTED, pendulum, act, tmp_path / "out.h5"],
                         capture_output=True, text=True)
    assert (out.stdout, out.stderr, out.returncode) == ("done\n", "", 0)


def test_ctrl_c_ends_a_control_law(pendulum):
    def law(t, q, v):
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the law continues")

    scene = torsor.Scene(pendulum)
    with pytest.raises(KeyboardInterrupt):
        scene.add_control("law", law)
        scene.simulation()


def test_recordings_are_read(root, tmp_path):
    file = tmp_path / "pendulum.h5"
    seen = []
    scene = torsor.Scene(root / "scenes/double_pendulum.lua", duration=2)
    scene.record(file, progress=lambda done, all_steps: seen.append((done, all_steps)))
    recording = torsor.read(file)
    assert recording.time[-1] == 2 and recording.problem == "" and recording.replayable
    assert recording["first.q"].shape == (201, 2)
    assert recording.frames["first.pose.tip2.x"] == "world"
    assert recording.description["solver"]["id"] == "solver.articulated_body"
    assert not recording.values_array.flags.owndata and not recording.values_array.flags.writeable
    values = recording.values_array
    del recording
    assert values[-1, 0] == 2  # the memory lives as long as the array
    with pytest.raises(torsor.Error, match="missing.h5"):
        torsor.read(tmp_path / "missing.h5")


def test_progress_may_stop_a_run(pendulum, tmp_path):
    def stop(done, all_steps):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        torsor.Scene(pendulum, duration=10000).record(tmp_path / "long.h5", progress=stop)
    assert torsor.read(tmp_path / "long.h5").problem == "interrupted"


def test_studies(pendulum, tmp_path):
    table = tmp_path / "table.h5"
    study = torsor.study(pendulum, table, samples=12, seed=5, jobs=2)
    assert study.parameters == ["angle", "kind"] or study.parameters == ["kind", "angle"]
    assert len(study["angle"]) == 12 and set(study["kind"]) == {"a", "b"}
    assert (study.status == "done").all() and study.messages == {}
    assert ((0.1 <= study["angle"]) & (study["angle"] <= 1)).all()
    again = torsor.study(pendulum, table, samples=12, seed=5, jobs=1, existing="replace")
    assert again.hash == study.hash
    with pytest.raises(torsor.Error, match="exists"):
        torsor.study(pendulum, table, samples=12)
    grid = torsor.study(pendulum, tmp_path / "grid.h5", grid={"angle": [0.1, 0.2], "length": [1, 2]},
                        kind="a")
    assert len(grid.status) == 4
    final = [name for name in grid.outcomes if name.startswith("arm.q")]
    assert final and np.isfinite(grid[final[0]]).all()


def test_loading_uses_little_memory(root, pendulum):
    def resident():
        return int(open("/proc/self/statm").read().split()[1]) * 4096

    def load():
        sim = torsor.load(pendulum)
        sim.step()
        sim.robot.mass_matrix(sim.snapshot() and sim.q)
        return sim["energy"]

    for _ in range(200):
        load()
    before = resident()
    for _ in range(1000):
        load()
    assert resident() - before < 2e6  # 2 kB for each load


def test_print_of_scenes_is_that_of_python(tmp_path, capfd):
    file = tmp_path / "arm.lua"
    file.write_text("print('one', 2)\nreturn require('robots.iiwa')\n")
    torsor.robot(file)
    assert "one\t2\n" in capfd.readouterr().out


def test_plugins_are_chosen(tmp_path):
    try:
        with pytest.raises(torsor.Error, match="no_such_folder"):
            torsor.configure(plugins=[tmp_path / "no_such_folder"])
        torsor.configure(plugins=[tmp_path], allow_plugins=True)
        assert torsor.warnings() == []
    finally:
        torsor.configure()

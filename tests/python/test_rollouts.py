"""Many motions of a robot: laws of mechanics, single simulations, shapes, and motions that fail."""

import threading

import numpy as np
import pytest

import torsor

SCENE = """
local torsor = require "torsor"
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(require("robots.iiwa").build{ damping = {0, 0, 0, 0, 0, 0, 0} })
return world:experiment{ duration = 1, record = { "energy" },
                         integrator = { "rk4", dt = 1e-3 } }
"""


@pytest.fixture
def arm(tmp_path):
    file = tmp_path / "arm.lua"
    file.write_text(SCENE)
    return torsor.Scene(file)


def starts(robot, n, seed=1):
    random = np.random.default_rng(seed)
    q = np.array([robot.integrate(robot.neutral, random.uniform(-1, 1, robot.n_v))
                  for _ in range(n)])
    return q, random.uniform(-1, 1, (n, robot.n_v)), random


def test_motions_are_those_of_simulations(arm):
    robot = arm.robot
    q, v, random = starts(robot, 3)
    tau = random.uniform(-5, 5, (3, 30, 7))
    rollout = robot.rollout(q, v, tau, 1e-3, sample_every=10)
    assert rollout.time == pytest.approx([0, 0.01, 0.02, 0.03])
    assert rollout.q.shape == rollout.v.shape == (3, 4, 7)
    assert np.array_equal(rollout.q[:, 0], q) and np.array_equal(rollout.v[:, 0], v)
    assert (rollout.done == 30).all() and rollout.problem == "" and not rollout.failed.size
    for k in range(3):
        sim = arm.simulation()
        sim.q, sim.v = q[k], v[k]
        for t in range(30):
            sim.set_torque(tau[k, t])
            sim.step()
        assert sim.q == pytest.approx(rollout.q[k, -1], abs=1e-11)
        assert sim.v == pytest.approx(rollout.v[k, -1], abs=1e-9)


def test_energy_is_kept_without_damping(arm):
    robot = arm.robot
    q, v, _ = starts(robot, 5)
    rollout = robot.rollout(q, v, None, 1e-3, steps=100)
    energy = [robot.kinetic_energy(rollout.q[:, s], rollout.v[:, s])
              + robot.potential_energy(rollout.q[:, s]) for s in (0, -1)]
    assert energy[1] == pytest.approx(energy[0], abs=1e-6)
    weightless = arm.robot
    weightless.set_gravity([0, 0, 0])
    at_rest = weightless.rollout(q[0], None, None, 1e-3, steps=100)
    assert np.array_equal(at_rest.q, np.tile(q[0], (101, 1)))


def test_torques_have_several_shapes(iiwa):
    q, v, random = starts(iiwa, 4)
    tau = random.uniform(-5, 5, (4, 6, 7))

    def final(*arguments, **options):
        return iiwa.rollout(*arguments, 1e-3, **options).v[..., -1, :]

    shared = np.tile(tau[0], (4, 1, 1))
    constant = np.tile(tau[:, :1], (1, 6, 1))
    assert np.array_equal(final(q, v, tau[0]), final(q, v, shared))
    assert np.array_equal(final(q, v, tau[:, :1], steps=6), final(q, v, constant))
    assert np.array_equal(final(q, v, tau[0, 0], steps=6), final(q, v, constant[:1, :1], steps=6))
    # Layouts that are read where they are, and some that are copied.
    expected = final(q, v, tau)
    assert np.array_equal(final(q, v, np.ascontiguousarray(tau.swapaxes(0, 1)).swapaxes(0, 1)),
                          expected)
    assert np.array_equal(final(q, v, np.asfortranarray(tau)), expected)
    assert np.array_equal(final(q[::-1], v[::-1], tau[::-1]), expected[::-1])
    assert np.array_equal(final(q, v, np.broadcast_to(tau[0], (4, 6, 7))), final(q, v, shared))
    # One start and many lists of torques, and one motion.
    many = final(q[0], v[0], tau)
    assert many.shape == (4, 7) and np.array_equal(many[0], final(q[0], v[0], tau[0]))
    assert final(q[0], v[0], tau[0]).shape == (7,)
    assert final(q[:0], v[:0], tau[0]).shape == (0, 7)


def test_torques_are_read_where_they_are():
    from torsor import _library as c
    from torsor.rollouts import _set_torques
    tau = np.zeros((6, 8, 10))
    for given in (tau[:, :, :7], tau[::2, 1:, 3:], tau.swapaxes(0, 1)[..., :7], tau[:1, :, :2],
                  np.broadcast_to(tau[0, 0, :7], (6, 8, 7))):
        assert _set_torques(c.Motions(), given) is given
    for given in (tau[::-1], tau[..., ::2], tau[..., ::-1]):
        assert _set_torques(c.Motions(), given) is not given


def test_the_robot_of_a_file_with_a_floating_base(quadruped):
    q, v, _ = starts(quadruped, 9)
    rollout = quadruped.rollout(q, v, None, 1e-3, steps=20, integrator="semi_implicit_euler")
    assert np.linalg.norm(rollout.q[..., 3:7], axis=-1) == pytest.approx(np.ones((9, 21)), abs=1e-12)


def test_results_go_to_given_memory(iiwa):
    q, v, random = starts(iiwa, 4)
    tau = random.uniform(-5, 5, (4, 6, 7))
    memory = np.empty((4, 7, 7)), np.empty((4, 7, 7))
    rollout = iiwa.rollout(q, v, tau, 1e-3, out=memory)
    assert rollout.q is memory[0] and rollout.v is memory[1]
    assert np.array_equal(rollout.q, iiwa.rollout(q, v, tau, 1e-3).q)
    memory[1].flags.writeable = False
    for wrong in (memory, (memory[0], np.empty((4, 6, 7))), (memory[0], [0.0])):
        with pytest.raises(ValueError, match=r"out \(v\) must be a writable"):
            iiwa.rollout(q, v, tau, 1e-3, out=wrong)


def test_motions_that_fail_are_named(iiwa):
    q, v, random = starts(iiwa, 10)
    tau = random.uniform(-5, 5, (10, 8, 7))
    good = iiwa.rollout(q, v, tau, 1e-3)
    tau[3, 4, 1], q[7, 0] = np.nan, np.inf
    bad = iiwa.rollout(q, v, tau, 1e-3)
    assert list(bad.failed) == [3, 7] and list(bad.done[[3, 7, 8]]) == [4, 0, 8]
    assert bad.problem == ("2 of 10 motions fail: motion 3: step 5: tau[1] is nan; give a finite "
                           "number")
    assert np.isnan(bad.q[7]).all() and np.isnan(bad.v[3, 5:]).all()
    assert np.array_equal(bad.v[3, :5], good.v[3, :5])
    others = [k for k in range(10) if k not in (3, 7)]
    assert np.array_equal(bad.q[others], good.q[others])


def test_threads_share_a_robot(iiwa):
    q, v, random = starts(iiwa, 200)
    tau = random.uniform(-5, 5, (200, 5, 7))
    expected, results = iiwa.rollout(q, v, tau, 1e-3).q, [None, None]

    def work(k):
        part = slice(100 * k, 100 * (k + 1))
        results[k] = iiwa.rollout(q[part], v[part], tau[part], 1e-3).q

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(np.concatenate(results), expected)


@pytest.mark.parametrize("change, kind, message", [
    ({"tau": None}, ValueError, "steps is missing"),
    ({"tau": np.zeros((4, 5))}, ValueError, r"tau has the shape \(4, 5\)"),
    ({"tau": np.zeros((3, 5, 7))}, ValueError, "numbers of motions differ: q has 2, .*tau has 3"),
    ({"steps": 4}, ValueError, "tau has 5 steps, and steps is 4"),
    ({"steps": 1.5}, TypeError, "steps is 1.5; it must be a whole number"),
    ({"q": np.zeros(6)}, ValueError, r"q has the shape \(6,\)"),
    ({"v": np.zeros((3, 7))}, ValueError, "numbers of motions differ"),
    ({"dt": 0}, ValueError, "dt is 0 s; it must be positive"),
    ({"dt": -1e-3}, ValueError, "it must be positive"),
    ({"dt": np.nan}, ValueError, "it must be positive"),
    ({"sample_every": 0}, ValueError, "sample_every is 0; it must be from 1"),
    ({"sample_every": 2}, ValueError, "steps is 5; it must be a multiple of sample_every = 2"),
    ({"integrator": 4}, TypeError, "integrator is 4; it must be a string"),
    ({"integrator": "rk5"}, torsor.Error, "did you mean 'rk4'"),
])
def test_wrong_arguments_are_errors(iiwa, change, kind, message):
    right = {"q": np.zeros((2, 7)), "v": None, "tau": np.zeros((2, 5, 7)), "dt": 1e-3}
    with pytest.raises(kind, match=message):
        iiwa.rollout(**{**right, **change})

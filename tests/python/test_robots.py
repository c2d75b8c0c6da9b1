"""Quantities of robots: laws of mechanics, shapes, and arrays that are not copied."""

import copy
import pickle
import threading

import numpy as np
import pytest

import torsor


def states(robot, n, seed=1):
    random = np.random.default_rng(seed)
    q = np.array([robot.integrate(robot.neutral, random.uniform(-1, 1, robot.n_v))
                  for _ in range(n)])
    return q, random.uniform(-1, 1, (n, robot.n_v)), random.uniform(-1, 1, (n, robot.n_v))


@pytest.fixture(params=["iiwa", "quadruped"])
def robot(request):
    return request.getfixturevalue(request.param)


def test_names_and_units(iiwa, quadruped):
    assert iiwa.n_q == iiwa.n_v == 7
    assert iiwa.dofs == [f"joint{k}" for k in range(1, 8)]
    assert iiwa.q_units == 7 * ["rad"] and iiwa.v_units == 7 * ["rad/s"]
    assert quadruped.n_q == quadruped.n_v + 1
    assert iiwa.limits()["upper"].shape == (len(iiwa.joints),)
    assert "link7" in " ".join(iiwa.frames)


def test_a_class_takes_no_file():
    for made in (torsor.Robot, torsor.Snapshot):
        with pytest.raises(TypeError, match="use torsor.robot"):
            made("iiwa.urdf")


def test_a_robot_cannot_be_copied_or_pickled(iiwa):
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            act(iiwa)


def test_out_must_be_writable(iiwa):
    q = np.zeros((3, 7))
    out = np.empty((3, 49))
    out.flags.writeable = False
    for wrong in (out, [0.0], np.empty((3, 48))):
        with pytest.raises(ValueError, match="writable"):
            iiwa.evaluate("mass_matrix", q, out=wrong)
    with pytest.raises(ValueError, match="several states"):
        iiwa.evaluate("mass_matrix", q[0], out=np.empty((1, 49)))


def test_the_equation_of_motion(robot):
    for q, v, tau in zip(*states(robot, 5)):
        vdot = robot.forward_dynamics(q, v, tau)
        M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, v), robot.gravity(q)
        assert M @ vdot + C @ v + g == pytest.approx(tau, abs=1e-9)
        assert robot.inverse_dynamics(q, v, vdot) == pytest.approx(tau, abs=1e-9)
        assert robot.bias(q, v) == pytest.approx(C @ v + g, abs=1e-9)
        assert M @ robot.inverse_mass_matrix(q) == pytest.approx(np.eye(robot.n_v), abs=1e-9)
        assert v @ M @ v / 2 == pytest.approx(float(robot.kinetic_energy(q, v)))
        assert sum(robot.torque_split(q, v, vdot).values()) == pytest.approx(tau, abs=1e-8)


def test_gravity_is_the_slope_of_the_potential_energy(iiwa):
    q, h = states(iiwa, 1)[0][0], 1e-6
    slope = [(iiwa.potential_energy(q + h * d) - iiwa.potential_energy(q - h * d)) / (2 * h)
             for d in np.eye(7)]
    assert iiwa.gravity(q) == pytest.approx(np.array(slope), abs=1e-6)


def test_jacobians_are_the_slopes_of_poses(iiwa):
    frame, q, h = iiwa.frames[-1], states(iiwa, 1)[0][0], 1e-6
    X, J = iiwa.pose(frame, q), iiwa.jacobian(frame, q)
    for k, d in enumerate(np.eye(7)):
        rate = np.linalg.inv(X) @ (iiwa.pose(frame, q + h * d) - iiwa.pose(frame, q - h * d)) / (2 * h)
        twist = [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]]
        assert J[:, k] == pytest.approx(np.array(twist), abs=1e-7)
    v = np.arange(7.0)
    assert iiwa.twist(frame, q, v) == pytest.approx(J @ v)


def test_sensors(iiwa):
    q, zeros = states(iiwa, 1)[0][0], np.zeros(7)
    measured = iiwa.imu(iiwa.frames[-1], q, zeros, zeros)
    up = iiwa.pose(iiwa.frames[-1], q)[2, :3]  # the vertical in the axes of the frame
    assert measured == pytest.approx([0, 0, 0, *(9.81 * up)])
    assert iiwa.joint_wrenches(q, zeros, zeros).shape == (7, 6)
    many = iiwa.imu(iiwa.frames[-1], np.tile(q, (3, 1)), zeros, zeros)
    assert many[2] == pytest.approx(measured)


def test_many_states_give_the_results_of_each(robot):
    q, v, x = states(robot, 33)
    for name in robot.quantities():
        if name == "inverse_dynamics_second_partials" or (name == "christoffel" and robot.n_v > 10):
            continue
        if name == "constrained_inverse_dynamics" and robot.n_q != robot.n_v:
            continue  # no motor moves the base of the quadruped
        many, one = robot.evaluate(name, q, v, x), robot.evaluate(name, q[20], v[20], x[20])
        if not isinstance(many, dict):
            many, one = {name: many}, {name: one}
        for key in one:
            assert many[key].shape == (33,) + one[key].shape, name
            scale = np.abs(one[key]).max()
            assert np.abs(many[key][20] - one[key]).max() <= 1e-12 * scale, name


def test_arrays_are_read_where_they_are(iiwa):
    q, v, vdot = states(iiwa, 64)
    expected = iiwa.inverse_dynamics(q, v, vdot)
    table = np.full((64, 30), np.nan)
    table[:, :7], table[:, 10:17], table[:, 20:27] = q, v, vdot
    assert np.array_equal(
        iiwa.inverse_dynamics(table[:, :7], table[:, 10:17], table[:, 20:27]), expected)
    # Other layouts and types are copied.
    assert np.array_equal(iiwa.inverse_dynamics(np.asfortranarray(q), v, vdot), expected)
    assert np.array_equal(iiwa.inverse_dynamics(q[::-1], v[::-1], vdot[::-1]), expected[::-1])
    assert iiwa.gravity(q.astype(np.float32)) == pytest.approx(iiwa.gravity(q), abs=1e-4)
    assert np.array_equal(iiwa.inverse_dynamics(q, v[0], vdot[0])[0], expected[0])
    out = np.empty((64, 7))
    result = iiwa.evaluate("inverse_dynamics", q, v, vdot, out=out)
    assert np.shares_memory(result, out) and np.array_equal(out, expected)
    assert iiwa.inverse_dynamics(q[:0], v[:0], vdot[:0]).shape == (0, 7)
    assert np.array_equal(iiwa.inverse_dynamics(q[:1], v[:1], vdot[:1]), expected[:1])


def test_results_may_overlap_arguments(iiwa):
    n = 1000  # more than the library reads at a time
    memory = np.linspace(-1, 1, 7 * (n + 1))
    q, out = memory[:-7].reshape(n, 7), memory[7:].reshape(n, 7)
    expected = iiwa.inverse_dynamics(q.copy(), q.copy(), q.copy())
    assert iiwa.evaluate("inverse_dynamics", q, q, q, out=out) is not None
    assert np.array_equal(out, expected)
    v, start = np.linspace(-1, 1, 5 * 4 * 7).reshape(5, 4, 7), np.ones((5, 7))
    rollout = iiwa.rollout(start, None, v[:, :-1].copy(), 1e-3)
    iiwa.rollout(start, None, v[:, :-1], 1e-3, out=(np.empty((5, 4, 7)), v))
    assert np.array_equal(v, rollout.v)


def test_a_robot_may_have_no_joints(tmp_path):
    file = tmp_path / "stand.urdf"
    file.write_text('<robot name="stand"><link name="base"/></robot>')
    robot, none, three = torsor.robot(file), np.empty(0), np.empty((3, 0))
    assert repr(robot) == "<torsor.Robot with 0 dof ()>"
    assert robot.mass_matrix(none).shape == (0, 0) and robot.bias(three, three).shape == (3, 0)
    assert np.array_equal(robot.pose("base", three), [np.eye(4)] * 3)
    assert robot.rollout(none, None, None, 1e-3, steps=2).q.shape == (3, 0)
    assert robot.rollout(three, three, three, 1e-3).q.shape == (3, 4, 0)


def test_arrays_may_be_unaligned(iiwa):
    memory = np.zeros(3 * 7 * 8 + 1, np.uint8)
    q = np.ndarray((3, 7), np.float64, memory.data, 1)
    q[:] = np.arange(21).reshape(3, 7) / 10
    assert not q.flags.aligned
    assert np.array_equal(iiwa.gravity(q), iiwa.gravity(q.copy()))
    assert np.array_equal(iiwa.difference(q[0], q[1]), iiwa.difference(q[0].copy(), q[1].copy()))
    with pytest.raises(ValueError, match="aligned"):
        iiwa.evaluate("gravity", np.zeros((3, 7)), out=q)


def test_results_are_copies(iiwa):
    q = np.zeros(7)
    first = iiwa.gravity(q)
    kept = first.copy()
    iiwa.gravity(q + 1)
    assert np.array_equal(first, kept)


def test_gravity_and_wrenches(root):
    robot = torsor.robot(root / "scripts/robots/iiwa.lua", gravity=(0, 0, -1.62))
    q, v, vdot = (each[0] for each in states(robot, 1))
    moon = robot.gravity(q)
    robot.set_gravity([0, 0, -9.81])
    assert robot.gravity(q) == pytest.approx(moon * 9.81 / 1.62)
    frame, F = robot.frames[-1], np.arange(6.0)
    free = robot.inverse_dynamics(q, v, vdot)
    robot.set_wrenches({frame: F})
    assert robot.inverse_dynamics(q, v, vdot) == pytest.approx(free - robot.jacobian(frame, q).T @ F)
    robot.set_wrenches({})
    assert np.array_equal(robot.inverse_dynamics(q, v, vdot), free)
    with pytest.raises(ValueError, match="there is no frame 'nothing'"):
        robot.set_wrenches({"nothing": F})
    assert np.array_equal(robot.inverse_dynamics(q, v, vdot), free)


def test_parameters_and_solvers(root):
    file = root / "scripts/robots/iiwa.lua"
    q = np.zeros(7)
    with_rotors, without = torsor.robot(file), torsor.robot(file, armature=0, solver="lie_group")
    difference = with_rotors.mass_matrix(q) - without.mass_matrix(q)
    assert (np.diag(difference) > 0).all()
    assert difference - np.diag(np.diag(difference)) == pytest.approx(np.zeros((7, 7)), abs=1e-12)


def test_threads_share_a_robot(iiwa):
    q, v, vdot = states(iiwa, 300)
    expected = iiwa.inverse_dynamics(q, v, vdot)
    failures = []

    def work():
        for k in range(300):
            if np.abs(iiwa.inverse_dynamics(q[k], v[k], vdot[k]) - expected[k]).max() > 1e-10:
                failures.append(k)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("arguments, message", [
    ((np.zeros(6),), r"q has the shape \(6,\); it must be \(7,\)"),
    ((np.zeros((2, 6)),), r"q has the shape \(2, 6\)"),
    ((np.zeros((2, 7)), np.zeros((3, 7))), r"v has the shape \(3, 7\)"),
    ((np.zeros(7), None), "coriolis_matrix depends on v"),
    ((np.zeros((2, 7)), None), "coriolis_matrix depends on v"),
    ((np.zeros(7), 1.0), r"v has the shape \(\)"),
])
def test_wrong_shapes_are_errors(iiwa, arguments, message):
    with pytest.raises(ValueError, match=message):
        iiwa.evaluate("coriolis_matrix" if len(arguments) > 1 else "gravity", *arguments)


def test_errors_say_what_to_do(iiwa, tmp_path):
    with pytest.raises(torsor.Error, match=r"q\[3\] is nan"):
        iiwa.gravity([0, 0, 0, np.nan, 0, 0, 0])
    with pytest.raises(torsor.Error, match="state 1: q\\[0\\] is inf"):
        iiwa.gravity([[0] * 7, [np.inf] + [0] * 6])
    with pytest.raises(torsor.Error, match="did you mean 'mass_matrix'"):
        iiwa.evaluate("masmatrix", np.zeros(7))
    with pytest.raises(torsor.Error, match="no_such.urdf"):
        torsor.robot(tmp_path / "no_such.urdf")


def test_exceptions_carry_file_and_line(tmp_path):
    file = tmp_path / "arm.lua"
    file.write_text("local torsor = require 'torsor'\nlocal arm = torsor.robot{ nam = 'arm' }\n")
    with pytest.raises(torsor.Error) as caught:
        torsor.robot(file)
    assert str(caught.value).startswith(f"{file}:2: ")
    assert (caught.value.file, caught.value.line) == (str(file), 2)
    assert "name" in str(caught.value)

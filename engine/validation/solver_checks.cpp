// Checks of solvers: laws of mechanics, and agreement with another solver.

#include "torsor/analysis/comparison.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/batch/batch_solver.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/validation/checks.hpp"
#include "torsor/validation/robot_laws.hpp"

namespace torsor::validation {

namespace {

constexpr int compared_robots = 24;

Vector velocity(const State& state) {
  return Eigen::Map<const Vector>(state.v.data(), Eigen::Index(state.v.size()));
}

std::string symmetric(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    const Matrix M = mass_matrix(solver, at.state);
    const double error = (M - M.transpose()).norm() / M.norm();
    require_below(error, agreement, "M is not symmetric: it differs from its transpose");
    if (!cholesky(M)) throw Failed("M is not positive definite");
    return error;
  });
}

// Checks Mdot = C + C^T along the motion with constant v, with Mdot from central differences. This
// is equivalent to a skew-symmetric Mdot - 2C.
std::string skew(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    Matrix C(at.state.v.size(), at.state.v.size());
    require(solver, solver.coriolis_matrix(at.state, C.data()), "Coriolis matrix");
    const double h = 1e-4, scale = mass_matrix(solver, at.state).norm();
    const Matrix Mdot =
        (mass_matrix(solver, moved(at.state, h)) - mass_matrix(solver, moved(at.state, -h))) /
        (2 * h);
    const double error = (Mdot - C - C.transpose()).norm() / scale;
    require_below(error, 1e-5, "Mdot and C + C^T differ");
    return error;
  });
}

std::string identity(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    add_random_wrenches(at.random, at.state);
    const std::vector<double> vdot = at.values(4);
    std::vector<double> tau(vdot.size()), again(vdot.size());
    require(solver, solver.inverse(at.state, vdot.data(), tau.data()), "inverse dynamics");
    require(solver, solver.forward(at.state, tau.data(), again.data()), "forward dynamics");
    const double cond = symmetric_condition(mass_matrix(solver, at.state));
    const Disagreement off = compare_accelerations(again, vdot, cond);
    require_below(off.value, off.allowed, "forward(inverse(vdot)) differs from vdot");
    return off.value;
  });
}

// Checks that g is the gradient of the potential energy, by central differences, for two gravity
// vectors.
std::string gradient(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    double worst = 0;
    for (const Vec3<double>& field : {Vec3<double>{0, 0, -9.81}, Vec3<double>{3, -7, 1}}) {
      at.state.set_gravity(field);
      Vector g(at.state.v.size());
      require(solver, solver.gravity(at.state, g.data()), "gravity");
      const double h = 1e-5, scale = g.norm() + std::abs(potential_energy(at.state));
      const std::vector<double> v = at.state.v;
      for (Eigen::Index k = 0; k < g.size(); ++k) {
        at.state.v.assign(v.size(), 0.0);
        at.state.v[size_t(k)] = 1;
        const double slope =
            (potential_energy(moved(at.state, h)) - potential_energy(moved(at.state, -h))) /
            (2 * h);
        const double error = std::abs(slope - g[k]) / (scale > 0 ? scale : 1);
        require_below(
            error, 1e-7,
            fmt::format("in the field ({:g}, {:g}, {:g}), entry {} of g differs from the slope of "
                        "the potential energy",
                        field.x, field.y, field.z, k + 1)
                .c_str());
        worst = std::max(worst, error);
      }
      at.state.v = v;
    }
    return worst;
  });
}

// Checks that the power of the torques and wrenches equals the rate of the energy along the
// resulting motion. The rate comes from central differences.
std::string power(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    State& state = at.state;
    add_random_wrenches(at.random, state);
    const std::vector<double> tau = at.values(20);
    Vector vdot(state.v.size());
    require(solver, solver.forward(state, tau.data(), vdot.data()), "forward dynamics");
    const Vector v = velocity(state);
    std::vector<Twist<double>> V(size_t(state.model().n_body));
    body_twists(state, V);
    double given = Eigen::Map<const Vector>(tau.data(), v.size()).dot(v);
    for (size_t i = 0; i < V.size(); ++i) given += dot(V[i], state.F_B()[i]);
    const double slow = v.norm() / (v.norm() + vdot.norm()), h = 1e-4 * slow;
    const auto energy = [&](double t) {
      State there = moved(state, t);
      for (size_t k = 0; k < there.v.size(); ++k) there.v[k] += t * vdot[Eigen::Index(k)];
      return kinetic_energy(there) + potential_energy(there);
    };
    const double scale =
        std::abs(given) + (kinetic_energy(state) + std::abs(potential_energy(state))) / slow;
    const double error = std::abs((energy(h) - energy(-h)) / (2 * h) - given) / scale;
    require_below(error, 1e-4,
                  "the rate of the energy differs from the power of torques and wrenches");
    return error;
  });
}

// Checks that the torques do not change if the robot and gravity are rotated together in the world.
std::string rotated_world(Trial& trial) {
  return worst_on_robots(trial, [&](Case& at, Solver& solver) {
    const Mat3<double> R = at.random.rotation();
    const std::vector<double> vdot = at.values(4);
    std::vector<double> tau(vdot.size()), turned(vdot.size());
    require(solver, solver.inverse(at.state, vdot.data(), tau.data()), "inverse dynamics");
    ModelBuilder builder;
    builder.add(at.robot, {R, {0, 0, 0}});
    Case there = at;
    there.model = builder.build();
    there.state = State(there.model);
    there.state.set_q(at.state.q());
    there.state.v = at.state.v;
    there.state.set_gravity(R * at.state.gravity_W());
    Solver elsewhere = trial.solver(there);
    require(elsewhere, elsewhere.inverse(there.state, vdot.data(), turned.data()),
            "inverse dynamics in the rotated world");
    const Disagreement off = compare_entries(turned, tau);
    require_below(off.value, 1e-9, "with robot and gravity turned together, the torques differ");
    return off.value;
  });
}

// Checks the quantities of a batch of states against those of its states alone. The number of
// states is not a multiple of the number of lanes.
std::string batches(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    BatchSolver in_lanes(solver);
    if (in_lanes.lanes() == 1) throw NotApplicable("it computes states one by one");
    constexpr size_t count = 11;
    StateBatch batch(at.state.model_ptr(), count);
    batch.set_world(at.state);
    batch.add_wrenches();
    const size_t n = at.state.v.size(), stride = batch.stride();
    std::vector<State> states(count, at.state);
    std::vector<double> given(n * stride);
    for (size_t k = 0; k < count; ++k) {
      states[k].set_q(random_position(at.random, at.state.model(), 3));
      states[k].v = at.values(2);
      add_random_wrenches(at.random, states[k]);
      batch.set(k, states[k]);
      const std::vector<double> in = at.values(4);
      for (size_t i = 0; i < n; ++i) given[i * stride + k] = in[i];
    }
    double worst = 0;
    // Compares results [size] of all states with those of ask(state, in, out) for each of them.
    const auto compare = [&](const char* what, const double* all, size_t size, size_t inputs,
                             bool needs_pivots, const auto& ask) {
      for (size_t k = 0; k < count; ++k) {
        Vector in(inputs), one(size), lane(size);
        for (size_t i = 0; i < inputs; ++i) in[Eigen::Index(i)] = given[i * stride + k];
        for (size_t i = 0; i < size; ++i) lane[Eigen::Index(i)] = all[i * stride + k];
        require(solver, ask(states[k], in.data(), one.data()), what);
        double allowed = agreement;
        if (needs_pivots)
          allowed = std::max(allowed, 10 * symmetric_condition(mass_matrix(solver, states[k])) *
                                          std::numeric_limits<double>::epsilon());
        const double difference = (lane - one).norm(), scale = one.norm();
        const double error = scale > 0 ? difference / scale : difference;
        require_below(error, allowed,
                      fmt::format("{} of a block and of one state differ", what).c_str());
        worst = std::max(worst, error);
      }
    };
    for (const QuantityRow& row : quantities) {
      if (row.indices > 2 || !in_lanes.is_in_lanes(row.quantity)) continue;
      std::vector<double> all(entries(row.quantity, n) * stride);
      require(solver, in_lanes.evaluate(row.quantity, batch, given.data(), all.data()).status,
              "a batch of states");
      compare(row.name, all.data(), entries(row.quantity, n), n, row.needs_pivots,
              [&](const State& state, const double* in, double* out) {
                return solver.evaluate(row.quantity, state, in, out);
              });
    }
    const size_t size = n * n;
    if (in_lanes.has_inverse_partials_in_lanes()) {
      std::vector<double> dq(size * stride), dv(dq), other(size);
      require(solver, in_lanes.inverse_partials(batch, given.data(), {dq.data(), dv.data()}).status,
              "a batch of states");
      compare("d tau/dq", dq.data(), size, n, false,
              [&](const State& state, const double* in, double* out) {
                return solver.inverse_partials(state, in, {out, other.data()});
              });
      compare("d tau/dv", dv.data(), size, n, false,
              [&](const State& state, const double* in, double* out) {
                return solver.inverse_partials(state, in, {other.data(), out});
              });
    }
    if (in_lanes.has_rates_in_lanes()) {
      const int order = solver.max_rate_order();
      const size_t rows = size_t(order + 1) * n;
      while (given.size() < rows * stride) given.push_back(at.random.uniform(-2, 2));
      std::vector<double> all(rows * stride);
      require(solver, in_lanes.rates(batch, order, given.data(), all.data()).status,
              "a batch of states");
      compare("rates", all.data(), rows, rows, false,
              [&](const State& state, const double* in, double* out) {
                return solver.rates(state, {order, in}, out);
              });
    }
    return worst;
  });
}

std::string agrees(Trial& trial, Compared quantity) {
  Disagreement worst;
  trial.on_robots(compared_robots, [&](Case& at) {
    add_random_wrenches(at.random, at.state);
    std::vector<Solver> both;
    both.push_back(trial.solver(at));
    both.push_back(trial.reference(at));
    Comparison comparison(std::move(both));
    comparison.ask(at.state, at.values(4), at.values(10));
    const Disagreement found = comparison.between(0, 1, quantity);
    if (found.broken()) throw Failed(explain(found, comparison.failure(0, quantity)));
    if (found.fraction() >= worst.fraction()) worst = found;
  });
  return fmt::format("off by at most {:.0e} on {} robots; {:.0e} is allowed", worst.value,
                     compared_robots, worst.allowed);
}

// Checks sum_jk G_ijk v_j v_k = (C v)_i, which is true for every choice of C.
std::string symbols(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    if (solver.capability(Quantity::christoffel_symbols) != Capability::offered)
      throw NotApplicable("it offers no Christoffel symbols");
    const Eigen::Index n = Eigen::Index(at.state.v.size());
    Matrix G(n * n, n), C(n, n);
    require(solver, solver.evaluate(Quantity::christoffel_symbols, at.state, nullptr, G.data()),
            "Christoffel symbols");
    require(solver, solver.coriolis_matrix(at.state, C.data()), "Coriolis matrix");
    const Vector v = velocity(at.state), inner = G * v, Cv = C * v;
    const Vector sum = Eigen::Map<const Matrix>(inner.data(), n, n) * v;
    const double error = (sum - Cv).norm() / std::max(G.norm() * v.squaredNorm(), 1e-300);
    require_below(error, agreement, "G v v and C v differ");
    return error;
  });
}

// Checks that forward dynamics reports a singular M if the body of the last joint has no mass.
std::string singular(Trial& trial) {
  if (!trial.info().family.empty() || !trial.subject().robots.empty())
    throw NotApplicable("it is made for special robots");
  int named = 0;
  for (int n = 1; n <= 4; ++n) {
    RobotDescription robot = random_robot(n, TreeShape::chain, trial.subject().seed + uint64_t(n),
                                          {JointKind::revolute});
    LinkDescription tip;
    tip.name = "tip";
    for (const LinkDescription& link : robot.links)
      if (link.joint.name == fmt::format("joint{}", n - 1)) tip.parent = link.name;
    tip.joint.name = "tip_joint";
    tip.joint.kind = JointKind::revolute;
    robot.links.push_back(tip);
    robot.dof_order.push_back(tip.joint.name);
    Case at{trial.subject().seed, robot, build(robot), Random(1), State(build(robot))};
    Solver solver = trial.solver(at);
    std::vector<double> tau(at.state.v.size(), 1.0), vdot(tau.size());
    const Status status = solver.forward(at.state, tau.data(), vdot.data());
    if (status)
      throw Failed(
          "a joint carries no mass, and forward dynamics returns an acceleration; it must return "
          "TORSOR_SINGULAR with the body");
    if (TORSOR_STATUS_CODE(status.value) != TORSOR_SINGULAR)
      throw Failed(
          fmt::format("a joint carries no mass, and forward dynamics reports: {}; it must return "
                      "TORSOR_SINGULAR with the body",
                      solver.explain(status)));
    if (at.model->joint_of_body(TORSOR_STATUS_BODY(status.value)) != "tip_joint")
      throw Failed(fmt::format("'tip_joint' carries no mass, and forward dynamics blames '{}'",
                               at.model->joint_of_body(TORSOR_STATUS_BODY(status.value))));
    ++named;
  }
  return fmt::format("reports the joint that carries no mass, on {} robots", named);
}

// Returns the minimum time per call of inverse or forward dynamics, in ns.
double nanoseconds(Solver& solver, const State& state, bool forward) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> in(state.v.size(), 0.3), out(in.size());
  double best = 1e300;
  for (int round = 0, calls = 1; round < 12; ++round) {
    const auto start = Clock::now();
    for (int k = 0; k < calls; ++k)
      require(solver,
              forward ? solver.forward(state, in.data(), out.data())
                      : solver.inverse(state, in.data(), out.data()),
              "speed");
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    best = std::min(best, ns / calls);
    if (ns < 2e6) calls = std::min(2 * calls, 1 << 16);
  }
  return best;
}

std::string speed(Trial& trial) {
  const Case at = trial.one_case(0);
  Solver solver = trial.solver(at);
  std::string out;
  for (const bool forward : {false, true}) {
    const double own = nanoseconds(solver, at.state, forward);
    Solver other = trial.shipped().solver(forward ? "articulated_body" : "newton_euler", at.model);
    const double best = nanoseconds(other, at.state, forward);
    out += fmt::format(
        "{}{} {:.0f} ns{}, {:.2f} times that of {}", out.empty() ? "" : "; ",
        forward ? "forward" : "inverse", own,
        solver.capability(forward ? Quantity::forward : Quantity::inverse) == Capability::derived
            ? " (derived)"
            : "",
        own / best, forward ? "articulated_body" : "newton_euler");
  }
  return fmt::format("{} ({} degrees of freedom)", out, at.model->n_v);
}

}  // namespace

Checks solver_checks() {
  Checks out{{"symmetric positive M", "laws", symmetric},
             {"Mdot - 2C is skew", "laws", skew},
             {"forward(inverse) = 1", "laws", identity},
             {"gravity is a gradient", "laws", gradient},
             {"power balance", "laws", power},
             {"rotated world", "laws", rotated_world},
             {"singular mass matrix", "laws", singular}};
  for (const Compared quantity : all_compared)
    out.push_back({description(quantity), "agreement",
                   [quantity](Trial& trial) { return agrees(trial, quantity); }});
  out.push_back({"Christoffel symbols", "offers", symbols});
  out.push_back({"blocks of states", "offers", batches});
  return out;
}

Check speed_check() {
  return {"speed", "speed", speed};
}

}  // namespace torsor::validation

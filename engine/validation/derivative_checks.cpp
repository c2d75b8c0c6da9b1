// Checks the derivatives that a solver offers against central differences.

#include "torsor/validation/checks.hpp"
#include "torsor/validation/robot_laws.hpp"

namespace torsor::validation {

namespace {

// Returns central differences of ask(state) along each dof of q, or along each entry of v. There is
// one column per dof.
template <class Ask>
Matrix differences(const State& state, bool of_q, double h, const Ask& ask) {
  const size_t n = state.v.size();
  Matrix out;
  for (size_t k = 0; k < n; ++k) {
    const auto at = [&](double d) {
      State there = state;
      if (of_q) {
        there.v.assign(n, 0.0);
        there.v[k] = 1;
        there = moved(there, d);
        there.v = state.v;
      } else {
        there.v[k] += d;
      }
      return Vector(ask(there));
    };
    const Vector difference = (at(h) - at(-h)) / (2 * h);
    if (k == 0) out.resize(difference.size(), Eigen::Index(n));
    out.col(Eigen::Index(k)) = difference;
  }
  return out;
}
// Returns the largest relative error of a column. Throws Failed if it is above 1e-6, a bound of the
// error of central differences.
double worst_column(const Matrix& exact, const Matrix& difference, double scale, const char* what) {
  double worst = 0;
  for (Eigen::Index k = 0; k < exact.cols(); ++k) {
    const double error = (exact.col(k) - difference.col(k)).norm() / scale;
    require_below(
        error, 1e-6,
        fmt::format("{} along degree of freedom {} differ from central differences", what, k + 1)
            .c_str());
    worst = std::max(worst, error);
  }
  return worst;
}

// Checks the first and second partial derivatives of tau against central differences.
std::string partials(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    if (!solver.has_partials()) throw NotApplicable("it offers no partial derivatives");
    const State& state = at.state;
    const Eigen::Index n = Eigen::Index(state.v.size());
    const std::vector<double> vdot = at.values(4);
    struct Partials {
      Matrix of_q, of_v;
    };
    const auto first = [&](const State& there) {
      Partials out{Matrix(n, n), Matrix(n, n)};
      require(solver,
              solver.inverse_partials(there, vdot.data(), {out.of_q.data(), out.of_v.data()}),
              "partial derivatives");
      return out;
    };
    const auto tau = [&](const State& there) {
      Vector out(n);
      require(solver, solver.inverse(there, vdot.data(), out.data()), "inverse dynamics");
      return out;
    };
    const double h = 1e-5;
    const Partials here = first(state);
    const double scale = tau(state).norm() + here.of_q.norm() + here.of_v.norm();
    double worst = std::max(
        worst_column(here.of_q, differences(state, true, h, tau), scale, "derivatives by q"),
        worst_column(here.of_v, differences(state, false, h, tau), scale, "derivatives by v"));
    if (!solver.has_second_partials()) return worst;
    Matrix qq(n * n, n), vq(n * n, n), vv(n * n, n), Mq(n * n, n);
    require(
        solver,
        solver.second_partials(state, vdot.data(), {qq.data(), vq.data(), vv.data(), Mq.data()}),
        "second partial derivatives");
    const auto rows = [](const Matrix& A) {
      return Vector(Eigen::Map<const Vector>(A.data(), A.size()));
    };
    const auto M = [&](const State& there) {
      Matrix out(n, n);
      require(solver, solver.mass_matrix(there, out.data()), "mass matrix");
      return rows(out);
    };
    const double size = scale + qq.norm() + vq.norm() + vv.norm() + Mq.norm();
    const auto check = [&](const Matrix& exact, bool of_q, const auto& ask, const char* what) {
      worst = std::max(worst, worst_column(exact, differences(state, of_q, h, ask), size, what));
    };
    check(
        qq, true, [&](const State& there) { return rows(first(there).of_q); },
        "derivatives of d tau/dq by q");
    check(
        vq, true, [&](const State& there) { return rows(first(there).of_v); },
        "derivatives of d tau/dv by q");
    check(
        vv, false, [&](const State& there) { return rows(first(there).of_v); },
        "derivatives of d tau/dv by v");
    check(Mq, true, M, "derivatives of M by q");
    return worst;
  });
}

// Returns the residual |M X - B| / (|M| |X| + |B|). It is of the order of the rounding error for a
// backward stable solution, whatever the condition of M (Higham, Accuracy and Stability of
// Numerical Algorithms, 7.1).
double residual(const Matrix& M, const Matrix& X, const Matrix& B) {
  const double scale = M.norm() * X.norm() + B.norm(), error = (M * X - B).norm();
  return scale > 0 ? error / scale : error;
}

// Checks M d vdot/dx = -d tau/dx for x = q and x = v, and M d vdot/d tau = 1. The acceleration is
// vdot = forward(tau).
std::string forward_partials(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    if (!solver.has_partials()) throw NotApplicable("it offers no partial derivatives");
    const Eigen::Index n = Eigen::Index(at.state.v.size());
    const std::vector<double> tau = at.values(10);
    std::vector<double> vdot(tau.size());
    Matrix dq(n, n), dv(n, n), dtau(n, n), inverse_dq(n, n), inverse_dv(n, n);
    require(solver, solver.forward(at.state, tau.data(), vdot.data()), "forward dynamics");
    require(solver,
            solver.forward_partials(at.state, tau.data(), {dq.data(), dv.data(), dtau.data()}),
            "partial derivatives of forward dynamics");
    require(solver,
            solver.inverse_partials(at.state, vdot.data(), {inverse_dq.data(), inverse_dv.data()}),
            "partial derivatives");
    const Matrix M = mass_matrix(solver, at.state);
    const double error = std::max({residual(M, dq, -inverse_dq), residual(M, dv, -inverse_dv),
                                   residual(M, dtau, Matrix::Identity(n, n))});
    require_below(error, 1e-8, "M d vdot and -d tau, or M d vdot/d tau and 1, differ");
    return error;
  });
}

// A motion whose v and wrenches are polynomials in time. At t = 0, v^(k) = motion[k - 1], F' = F[0]
// and F'' = F[1].
struct KnownMotion {
  const State& start;
  std::vector<std::vector<double>> motion;
  std::vector<Wrench<double>> F[2];

  KnownMotion(Case& at, int order) : start(at.state) {
    for (int k = 0; k <= order; ++k) motion.push_back(at.values(2));
    for (auto& rate : F) {
      State random(at.state.model_ptr());
      add_random_wrenches(at.random, random);
      rate.assign(random.F_B().begin(), random.F_B().end());
    }
  }
  // Returns the k-th derivative of entry i of v at time t.
  double velocity(double t, size_t k, size_t i) const {
    double sum = 0;
    for (size_t j = motion.size(); j >= std::max<size_t>(k, 1); --j)
      sum = motion[j - 1][i] + sum * t / double(j - k + 1);
    return k == 0 ? start.v[i] + t * sum : sum;
  }
  // Returns the state at time t. Integrates q with the midpoint rule in 64 steps.
  State at(double t, bool with_wrenches) const {
    State there = start;
    constexpr int steps = 64;
    for (int step = 0; step < steps; ++step) {
      for (size_t i = 0; i < there.v.size(); ++i)
        there.v[i] = velocity(t * (step + 0.5) / steps, 0, i);
      there = moved(there, t / steps);
    }
    for (size_t i = 0; i < there.v.size(); ++i) there.v[i] = velocity(t, 0, i);
    if (!with_wrenches) return there;
    std::vector<Wrench<double>> wrenches(start.F_B().begin(), start.F_B().end());
    for (size_t i = 0; i < wrenches.size(); ++i)
      wrenches[i] = wrenches[i] + t * F[0][i] + (t * t / 2) * F[1][i];
    there.set_wrenches(wrenches);
    return there;
  }
  std::vector<double> vdot(double t, int order) const {
    std::vector<double> out;
    for (int k = 1; k <= order + 1; ++k)
      for (size_t i = 0; i < start.v.size(); ++i) out.push_back(velocity(t, size_t(k), i));
    return out;
  }
  std::vector<Wrench<double>> wrench_rates(double t, int order) const {
    std::vector<Wrench<double>> out(size_t(order) * F[0].size());
    for (size_t i = 0; i < F[0].size(); ++i) {
      if (order > 0) out[i] = F[0][i] + t * F[1][i];
      if (order > 1) out[F[0].size() + i] = F[1][i];
    }
    return out;
  }
};

// Checks tau against inverse dynamics. Checks each derivative of tau against central differences of
// the next lower derivative along the motion.
std::string rates(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    if (!solver.has_rates()) throw NotApplicable("it offers no rates of torques");
    const int order = solver.max_rate_order();
    const Eigen::Index n = Eigen::Index(at.state.v.size());
    const KnownMotion motion(at, order);
    bool with_wrenches = true;
    const auto rates_at = [&](double t) {
      Matrix out(order + 1, n);
      const std::vector<double> vdot = motion.vdot(t, order);
      const std::vector<Wrench<double>> F = motion.wrench_rates(t, order);
      const State there = motion.at(t, with_wrenches);
      require(solver,
              solver.rates(there, {order, vdot.data(), {}, with_wrenches ? F.data() : nullptr},
                           out.data()),
              "rates");
      return out;
    };
    const std::vector<double> vdot = motion.vdot(0, 0);
    Vector tau(n);
    require(solver, solver.inverse(at.state, vdot.data(), tau.data()), "inverse dynamics");
    {  // tests whether the plugin supports wrenches that change with time
      const std::vector<double> all = motion.vdot(0, order);
      const std::vector<Wrench<double>> F = motion.wrench_rates(0, order);
      Matrix out(order + 1, n);
      const Status status = solver.rates(at.state, {order, all.data(), {}, F.data()}, out.data());
      with_wrenches = TORSOR_STATUS_CODE(status.value) != TORSOR_UNSUPPORTED;
    }
    const double h = 1e-4;
    const Matrix here = rates_at(0), before = rates_at(-h), after = rates_at(h);
    const double scale = here.norm();
    double worst = (here.row(0).transpose() - tau).norm() / scale;
    for (int k = 1; k <= order; ++k)
      worst = std::max(worst, ((after - before).row(k - 1) / (2 * h) - here.row(k)).norm() / scale);
    require_below(
        worst, 1e-5,
        "tau and its derivatives differ from inverse dynamics, or from differences of each other,");
    return worst;
  });
}

// Checks M vdot + C v + g = tau + Q. Checks each derivative of a term against central differences
// of the next lower derivative.
std::string equation_rates(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    if (!solver.has_equation_rates()) throw NotApplicable("it offers no rates of M, C and g");
    const Eigen::Index n = Eigen::Index(at.state.v.size());
    const KnownMotion motion(at, 2);
    struct Parts {
      Matrix M, C, g, Q, tau;
    };
    const auto parts_at = [&](double t) {
      Parts out{Matrix(3 * n, n), Matrix(3 * n, n), Matrix(3, n), Matrix(3, n), Matrix(3, n)};
      const std::vector<double> vdot = motion.vdot(t, 2);
      const std::vector<Wrench<double>> F = motion.wrench_rates(t, 2);
      require(solver,
              solver.equation_rates(
                  motion.at(t, true), {2, vdot.data(), {}, F.data()},
                  {out.M.data(), out.C.data(), out.g.data(), out.Q.data(), out.tau.data()}),
              "rates of M, C and g");
      return out;
    };
    const double h = 1e-4;
    const Parts here = parts_at(0), before = parts_at(-h), after = parts_at(h);
    const std::vector<double> vdot = motion.vdot(0, 0);
    Vector tau(n);
    require(solver, solver.inverse(at.state, vdot.data(), tau.data()), "inverse dynamics");
    const Vector v = Eigen::Map<const Vector>(at.state.v.data(), n),
                 a = Eigen::Map<const Vector>(vdot.data(), n);
    const Vector sum =
        here.M.topRows(n) * a + here.C.topRows(n) * v + (here.g - here.Q).row(0).transpose();
    double worst = std::max((sum - tau).norm(), (here.tau.row(0).transpose() - tau).norm()) /
                   (tau.norm() + here.g.row(0).norm() + here.Q.row(0).norm());
    for (Matrix Parts::*part : {&Parts::M, &Parts::C, &Parts::g, &Parts::Q, &Parts::tau}) {
      const Matrix &now = here.*part, difference = (after.*part - before.*part) / (2 * h);
      const Eigen::Index rows = now.rows() / 3;
      worst = std::max(
          worst, (now.bottomRows(2 * rows) - difference.topRows(2 * rows)).norm() / now.norm());
    }
    require_below(
        worst, 1e-5,
        "M, C, g, Q and tau violate their equation, or differ from differences of each other,");
    return worst;
  });
}

}  // namespace

Checks derivative_checks() {
  return {{"partial derivatives", "offers", partials},
          {"partials of forward dynamics", "offers", forward_partials},
          {"rates of torques", "offers", rates},
          {"rates of M, C and g", "offers", equation_rates}};
}

}  // namespace torsor::validation

// Derivatives that a solver offers, against differences of what they are derivatives of.

#include "torsor/validation/checks.hpp"
#include "torsor/validation/robot_laws.hpp"

namespace torsor::validation {

namespace {

// A column for each column of q, or of v: the central difference of what is asked for.
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
// How far each column is off, of the size of all; throws where that is more than differences explain.
double worst_column(const Matrix& exact, const Matrix& difference, double scale, const char* what) {
  double worst = 0;
  for (Eigen::Index k = 0; k < exact.cols(); ++k) {
    const double error = (exact.col(k) - difference.col(k)).norm() / scale;
    require_below(error, 1e-6,
                  fmt::format("{} along column {} are off central differences", what, k + 1).c_str());
    worst = std::max(worst, error);
  }
  return worst;
}

// The first of tau, and the second of these, against central differences.
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
      require(solver, solver.inverse_partials(there, vdot.data(), {out.of_q.data(), out.of_v.data()}),
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
    double worst =
        std::max(worst_column(here.of_q, differences(state, true, h, tau), scale, "derivatives by q"),
                 worst_column(here.of_v, differences(state, false, h, tau), scale, "derivatives by v"));
    if (!solver.has_second_partials()) return worst;
    Matrix qq(n * n, n), vq(n * n, n), vv(n * n, n), Mq(n * n, n);
    require(solver, solver.second_partials(state, vdot.data(), {qq.data(), vq.data(), vv.data(), Mq.data()}),
            "second partial derivatives");
    const auto rows = [](const Matrix& A) { return Vector(Eigen::Map<const Vector>(A.data(), A.size())); };
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
        qq, true, [&](const State& there) { return rows(first(there).of_q); }, "those of d tau/dq by q");
    check(
        vq, true, [&](const State& there) { return rows(first(there).of_v); }, "those of d tau/dv by q");
    check(
        vv, false, [&](const State& there) { return rows(first(there).of_v); }, "those of d tau/dv by v");
    check(Mq, true, M, "those of M by q");
    return worst;
  });
}

// tau' and tau'' against central differences of tau along the motion.
std::string rates(Trial& trial) {
  return worst_on_robots(trial, [](Case& at, Solver& solver) {
    if (!solver.has_rates()) throw NotApplicable("it offers no rates of torques");
    const Eigen::Index n = Eigen::Index(at.state.v.size());
    const std::vector<double> a = at.values(2), b = at.values(2), c = at.values(2);
    std::vector<double> motion = a;
    motion.insert(motion.end(), b.begin(), b.end());
    motion.insert(motion.end(), c.begin(), c.end());
    Vector all(3 * n);
    require(solver, solver.rates(at.state, {2, motion.data()}, all.data()), "rates");
    const Vector tau = all.head(n), first = all.segment(n, n), second = all.tail(n);
    // q, v and vdot a time t on; q by the midpoint rule in many small steps, each with the v of its middle.
    const auto along = [&](double t) {
      State there = at.state;
      constexpr int steps = 64;
      const auto v_at = [&](double s, size_t k) {
        return at.state.v[k] + s * (a[k] + s * (b[k] / 2 + s * c[k] / 6));
      };
      for (int i = 0; i < steps; ++i) {
        for (size_t k = 0; k < there.v.size(); ++k) there.v[k] = v_at(t * (i + 0.5) / steps, k);
        there = moved(there, t / steps);
      }
      Vector vdot(n), out(n);
      for (size_t k = 0; k < there.v.size(); ++k) {
        there.v[k] = v_at(t, k);
        vdot[Eigen::Index(k)] = a[k] + t * (b[k] + t * c[k] / 2);
      }
      require(solver, solver.inverse(there, vdot.data(), out.data()), "inverse dynamics");
      return out;
    };
    const double h = 1e-3, scale = tau.norm() + first.norm() + second.norm();
    const Vector before = along(-h), after = along(h);
    const double error = std::max(((after - before) / (2 * h) - first).norm(),
                                  ((after - 2 * tau + before) / (h * h) - second).norm()) /
                         scale;
    require_below(error, 1e-3, "tau' and tau'' are off differences of tau");
    return error;
  });
}

}  // namespace

Checks derivative_checks() {
  return {{"partial derivatives", "offers", partials}, {"rates of torques", "offers", rates}};
}

}  // namespace torsor::validation

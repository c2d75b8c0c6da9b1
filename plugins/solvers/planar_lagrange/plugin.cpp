// The plugin of the closed form of a planar chain of point masses (RCFS, section 8), for the model
// family "planar_n_link". prepare() verifies that the model is such a chain.

#include <cmath>
#include <cstring>

#include "algorithm.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "trace.hpp"

namespace {

using namespace torsor;
namespace algorithm = torsor::planar_lagrange;

// Relative tolerance of the chain's geometry and inertia. Allows the rounding errors of a few
// products in the model builder.
constexpr double rounding = 1e-12;

[[noreturn]] void refuse(int body, const char* why) {
  throw sdk::unsupported(
      "the solver is only for planar chains with a point mass at the end of each link: " +
      std::string("body ") + std::to_string(body) + ' ' + why);
}

// Checks that body i is attached to body i - 1 by a revolute joint about the z axis of body i,
// through its origin. Throws unsupported otherwise.
void check_hinge(const torsor_model& model, int i) {
  if (model.parent[i] != i - 1) refuse(i, "is not attached to the body before it");
  constexpr double hinge[6] = {0, 0, 1, 0, 0, 0};
  if (model.v_count[i] != 1 ||
      std::memcmp(model.S_B + 6 * model.v_index[i], hinge, sizeof hinge) != 0)
    refuse(i, "has a joint that is not revolute");
}

// Checks that the z axes of body i and body i - 1 are parallel, and that the origin of body i is in
// the x-y plane of body i - 1. Throws unsupported otherwise.
void check_placement(const Pose<double>& X_PB, int i) {
  const double* R = X_PB.R.m;
  if (std::hypot(R[2], R[5]) > rounding || R[8] < 0)
    refuse(i,
           "has a joint axis that is not parallel to the axis before it, or points the other way");
  if (std::abs(X_PB.p.z) > rounding * norm(X_PB.p))
    refuse(i, "is not in the plane of the body before it");
}

// Checks that the inertia is that of a point mass at c in the plane: I = m c^2 1 - m c c^T.
// Compares the entries after multiplication by m, which may be 0. Throws unsupported otherwise.
void check_point_mass(const SpatialInertia<double>& M, int i) {
  const double x = M.h.x, y = M.h.y, allowed = rounding * (x * x + y * y);
  const auto is = [&](double entry, double product) {
    return std::abs(M.m * entry - product) <= allowed;
  };
  if (std::abs(M.h.z) > rounding * norm(M.h))
    refuse(i, "has its mass outside the plane of the joints");
  const bool point = is(M.I.xx, y * y) && is(M.I.yy, x * x) && is(M.I.zz, x * x + y * y) &&
                     is(M.I.xy, -x * y) && is(M.I.xz, 0) && is(M.I.yz, 0);
  const bool nothing = M.m == 0 && M.I.xx == 0 && M.I.yy == 0 && M.I.zz == 0;
  if (!point || (M.m == 0 && !nothing)) refuse(i, "is not a point mass");
}

struct PlanarLagrange {
  static constexpr const char* id = "solver.planar_lagrange";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "closed form for planar chains of point masses, in absolute angles, with partial derivatives";
  static constexpr const char* family = "planar_n_link";

  using Tables = algorithm::Tables<double>;
  algorithm::Chain chain;

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    if (std::strcmp(model.family, family) != 0)
      throw sdk::unsupported(std::string("the solver is only for robots of the family '") + family +
                             "'");
    if (model.n_body < 2) throw sdk::unsupported("the robot has no joint");
    const auto* X_PB = reinterpret_cast<const Pose<double>*>(model.X_PB0);
    chain = {};
    chain.n = size_t(model.n_v);
    for (int i = 1; i < model.n_body; ++i) {
      const SpatialInertia<double> M = sdk::inertia<double>(model, i);
      check_hinge(model, i);
      if (i > 1) check_placement(X_PB[i], i);
      check_point_mass(M, i);
      algorithm::Plane<double> link{M.m > 0 ? M.h.x / M.m : 0, M.m > 0 ? M.h.y / M.m : 0};
      if (i + 1 < model.n_body) {
        const Vec3<double>& p = X_PB[i + 1].p;
        if (M.m > 0 && std::hypot(p.x - link.x, p.y - link.y) > rounding * norm(p))
          refuse(i, "does not have its mass at the end of its link");
        link = {p.x, p.y};
      }
      chain.column.push_back(size_t(model.v_index[i]));
      chain.link.push_back(link);
      chain.carried.push_back(M.m);
      chain.armature.push_back(model.armature[model.v_index[i]]);
    }
    for (size_t k = chain.n - 1; k-- > 0;) chain.carried[k] += chain.carried[k + 1];
    sizes.work_doubles = (6 + 3 + 2 * chain.n) * chain.n;
  }

  // Returns the tables for a state and a base motion. Sets the link vectors and the absolute rates
  // of the links.
  Tables tables(const torsor_state& state, const Twist<double>& V_W, const Twist<double>& A_W,
                double* work) const {
    const size_t n = chain.n;
    auto* vectors = reinterpret_cast<algorithm::Plane<double>*>(work);
    double* scalars = work + 6 * n;
    Tables at{{},          vectors,         vectors + n,     vectors + 2 * n,        scalars,
              scalars + n, scalars + 2 * n, scalars + 3 * n, scalars + 3 * n + n * n};
    algorithm::place(chain, sdk::poses(state), V_W, A_W, at);
    algorithm::absolute(chain, state.v, at.world.rate, at.rate);
    return at;
  }
  Tables tables(const torsor_state& state, double* work) const {
    return tables(state, sdk::world_twist(state), sdk::world_acceleration(state), work);
  }
  // Factorises M~ in the tables. Returns TORSOR_SINGULAR with the first body, from the tip, whose
  // pivot is not above min_pivot.
  torsor_status factor(const Tables& at, const torsor_state& state) const {
    algorithm::factor(chain, at);
    for (size_t k = chain.n; k-- > 0;)
      if (!(at.M[k * (chain.n + 1)] > state.min_pivot[k + 1]))
        return TORSOR_STATUS(TORSOR_SINGULAR, int(k) + 1);
    return TORSOR_OK;
  }

  torsor_status inverse(const torsor_model&, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    algorithm::inverse(chain, vdot, sdk::wrenches(state), tables(state, work), tau);
    return TORSOR_OK;
  }

  static constexpr auto& trace_passes = algorithm::trace_passes;
  static constexpr bool trace_of_forward = false;
  torsor_status trace(const torsor_model& model, const torsor_state& state, const double* vdot,
                      double* work, double* out) const {
    const sdk::Trace trace(model, trace_passes, out);
    mass_matrix(model, state, work, trace.array(algorithm::inertia_row));
    coriolis_matrix(model, state, work, trace.array(algorithm::coriolis_row));
    gravity(model, state, work, trace.array(algorithm::gravity_torque));
    const Tables at = tables(state, work);
    algorithm::inverse(chain, vdot, sdk::wrenches(state), at, trace.array(algorithm::torque),
                       trace);
    double *M = trace.array(algorithm::absolute_inertia_row),
           *C = trace.array(algorithm::absolute_coriolis_row);
    for (size_t h = 0; h < chain.n; ++h)
      for (size_t k = 0; k < chain.n; ++k) {
        const size_t entry = chain.column[h] * chain.n + chain.column[k];
        M[entry] = algorithm::absolute_inertia(chain, at, h, k);
        C[entry] = algorithm::absolute_coriolis(chain, at, h, k);
      }
    return TORSOR_OK;
  }

  torsor_status forward(const torsor_model&, const torsor_state& state, const double* tau,
                        double* work, double* vdot) const {
    const Tables at = tables(state, work);
    if (const torsor_status status = factor(at, state); status != TORSOR_OK) return status;
    algorithm::forward(chain, tau, sdk::wrenches(state), at, vdot);
    return TORSOR_OK;
  }

  torsor_status mass_matrix(const torsor_model&, const torsor_state& state, double* work,
                            double* M) const {
    algorithm::mass_matrix(chain, tables(state, work), M);
    return TORSOR_OK;
  }

  torsor_status inverse_mass_matrix(const torsor_model&, const torsor_state& state, double* work,
                                    double* Minv) const {
    const Tables at = tables(state, work);
    if (const torsor_status status = factor(at, state); status != TORSOR_OK) return status;
    algorithm::inverse_mass_matrix(chain, at, Minv);
    return TORSOR_OK;
  }

  // Computes C for a world at rest, because C is defined without base motion.
  torsor_status coriolis_matrix(const torsor_model&, const torsor_state& state, double* work,
                                double* C) const {
    algorithm::coriolis_matrix(chain, tables(state, {}, {}, work), C);
    return TORSOR_OK;
  }

  torsor_status gravity(const torsor_model&, const torsor_state& state, double* work,
                        double* g) const {
    const Tables at = tables(state, {}, sdk::world_acceleration(state), work);
    for (size_t k = 0; k < chain.n; ++k) at.rate[k] = 0;
    return loads(at, g);
  }

  torsor_status bias(const torsor_model&, const torsor_state& state, double* work,
                     double* b) const {
    return loads(tables(state, work), b);
  }

  // Computes tau at vdot = 0 from the rates in the tables, without applied wrenches.
  torsor_status loads(const Tables& at, double* tau) const {
    for (size_t k = 0; k < chain.n; ++k) at.acceleration[k] = at.world.acceleration;
    algorithm::forces(chain, at, at.u);
    algorithm::relative_forces(chain, at.u, tau);
    return TORSOR_OK;
  }

  torsor_status inverse_partials(const torsor_model&, const torsor_state& state, const double* vdot,
                                 double* work, double* dtau_dq, double* dtau_dv) const {
    algorithm::inverse_partials(chain, vdot, sdk::wrenches(state), tables(state, work), dtau_dq,
                                dtau_dv);
    return TORSOR_OK;
  }

  // Uses the array dvdot_dtau as scratch for vdot.
  torsor_status forward_partials(const torsor_model&, const torsor_state& state, const double* tau,
                                 double* work, double* dvdot_dq, double* dvdot_dv,
                                 double* dvdot_dtau) const {
    const Tables at = tables(state, work);
    if (const torsor_status status = factor(at, state); status != TORSOR_OK) return status;
    algorithm::forward(chain, tau, sdk::wrenches(state), at, dvdot_dtau);
    algorithm::forward_partials(chain, sdk::wrenches(state), at, dvdot_dq, dvdot_dv, dvdot_dtau);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(PlanarLagrange)

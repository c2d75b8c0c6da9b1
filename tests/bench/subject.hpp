#pragma once
// The subject of a measurement: a solver of Torsor or another library, with one robot and its
// sample states.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/handles/quantity.hpp"
#include "torsor/model/model.hpp"

namespace torsor::bench {

// A work to measure: the quantities of a solver (with the values of Quantity), its derivatives, and
// what the engine computes for all solvers. Only the quantities that other libraries compute have
// an enumerator. Six-vectors in results are angular part first.
enum class Work : int {
  inverse = int(Quantity::inverse),
  forward = int(Quantity::forward),
  mass_matrix = int(Quantity::mass_matrix),
  inverse_mass_matrix = int(Quantity::inverse_mass_matrix),
  coriolis_matrix = int(Quantity::coriolis_matrix),
  gravity = int(Quantity::gravity),
  bias = int(Quantity::bias),
  inverse_partials = int(n_quantities),  // d tau/d(q, v)
  forward_partials,                      // d vdot/d(q, v, tau)
  rates,                                 // tau, tau', tau''
  kinematics,                            // X_PB of each body; the result is not compared
  world_poses,                           // X_WB of each body [n_body - 1][12]: R by rows, p
  frame_jacobian,    // of the last body [n_v][6], at its origin, in the axes of the world
  joint_jacobians,   // screws of all dof in the world frame [n_v][6]
  jacobian_rates,    // their time derivatives
  centroidal,        // columns of A_G [n_v][6], those of Adot_G, and the momentum [6]
  joint_wrenches,    // at the origin of each body, in its axes [n_body - 1][6]
  torque_regressor,  // Y [n_v][n_body - 1][10], see regressor()
  energies,          // kinetic, potential
  delassus           // J M^-1 J^T of the origins of all leaves in the world [3 leaves][3 leaves]
};
// Returns the bodies without children, in ascending order.
std::vector<int> leaves(const Model& model);

inline constexpr size_t n_works = size_t(Work::delassus) + 1;
constexpr bool is_quantity(Work work) {
  return size_t(work) < n_quantities;
}
// Returns whether a work is measured. Quantities with three indices are not, because they have n^3
// numbers.
constexpr bool is_measured(Work work) {
  return !is_quantity(work) || indices(Quantity(work)) < 3;
}
inline constexpr auto all_works = [] {
  constexpr size_t count = [] {
    size_t k = 0;
    for (size_t work = 0; work < n_works; ++work) k += is_measured(Work(work));
    return k;
  }();
  std::array<Work, count> out{};
  size_t k = 0;
  for (size_t work = 0; work < n_works; ++work)
    if (is_measured(Work(work))) out[k++] = Work(work);
  return out;
}();
inline const char* name(Work work) {
  switch (work) {
    case Work::inverse_partials:
      return "inverse_dynamics_partials";
    case Work::forward_partials:
      return "forward_dynamics_partials";
    case Work::rates:
      return "inverse_dynamics_rates";
    case Work::kinematics:
      return "kinematics";
    case Work::world_poses:
      return "world_poses";
    case Work::frame_jacobian:
      return "frame_jacobian";
    case Work::joint_jacobians:
      return "joint_jacobians";
    case Work::jacobian_rates:
      return "joint_jacobian_rates";
    case Work::centroidal:
      return "centroidal_momentum";
    case Work::joint_wrenches:
      return "joint_wrenches";
    case Work::torque_regressor:
      return "torque_regressor";
    case Work::energies:
      return "energies";
    case Work::delassus:
      return "delassus_matrix";
    default:
      return name(Quantity(work));
  }
}
inline bool is_matrix(Work work) {
  return is_quantity(work) && indices(Quantity(work)) == 2;
}
// Returns whether the engine computes a work without a solver, or with any solver's mass matrix.
constexpr bool is_of_engine(Work work) {
  return work >= Work::kinematics;
}
// Returns the number of doubles of a result.
inline size_t result_size(Work work, const Model& model) {
  const size_t n_v = size_t(model.n_v), bodies = size_t(model.n_body) - 1;
  switch (work) {
    case Work::inverse_partials:
      return 2 * n_v * n_v;
    case Work::forward_partials:
      return 3 * n_v * n_v;
    case Work::rates:
      return 3 * n_v;
    case Work::kinematics:
      return 0;
    case Work::world_poses:
      return 12 * bodies;
    case Work::frame_jacobian:
    case Work::joint_jacobians:
    case Work::jacobian_rates:
      return 6 * n_v;
    case Work::centroidal:
      return 12 * n_v + 6;
    case Work::joint_wrenches:
      return 6 * bodies;
    case Work::torque_regressor:
      return 10 * n_v * bodies;
    case Work::energies:
      return 2;
    case Work::delassus:
      return 9 * leaves(model).size() * leaves(model).size();
    default:
      return entries(Quantity(work), n_v);
  }
}

// A state and the inputs of all works: q [n_q]; v, vdot and tau [n_v]. The order is that of the
// model's dof.
struct Sample {
  std::vector<double> q, v, vdot, tau;
};

class Subject {
 public:
  virtual ~Subject() = default;
  // Returns the reason why the subject does not compute this work, or "" if it does.
  virtual std::string lacks(Work work) const = 0;
  // [hot] Computes the work for sample k. Returns false if that fails in this state; failure() then
  // returns the reason.
  virtual bool evaluate(Work work, size_t k) = 0;
  virtual std::string failure() const { return ""; }
  // Writes the result of the last evaluate() of this work to out [result_size]. Matrices of dof are
  // stored by rows, in the order of the model's dof.
  virtual void result(Work work, double* out) = 0;
};

}  // namespace torsor::bench

#pragma once
// The host service TORSOR_HOST_DYNAMICS. It provides the dynamics of a controller's nominal model,
// computed by a solver that the user chooses for the controller.

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "torsor/handles/solver.hpp"
#include "torsor/model/pose_spring.hpp"
#include "torsor/sdk/ext/host_dynamics.h"

namespace torsor {

// Computes inverse, forward, mass_matrix, bias or gravity of a mechanism whose loops are closed.
// The arguments are those of Solver::evaluate(). springs: [n_v] torques to add to the bias. Writes
// why it failed to `reason`, unless the status explains it.
using MechanismDynamics =
    std::function<Status(Solver& solver, const State& state, Quantity quantity, const double* given,
                         std::span<const double> springs, double* out, std::string& reason)>;

class DynamicsService {
 public:
  // mechanism: the dynamics of the model with closed loops. If empty, the dynamics are those of the
  // solver. Otherwise the service offers neither the regressor nor rates of torques.
  DynamicsService(Solver solver, std::shared_ptr<const Model> model, const Vec3<double>& gravity_W,
                  MechanismDynamics mechanism = {});
  DynamicsService(const DynamicsService&) = delete;
  DynamicsService& operator=(const DynamicsService&) = delete;

  const torsor_dynamics* table() const { return &table_; }
  const Model& model() const { return state_.model(); }
  std::shared_ptr<const Model> model_ptr() const { return state_.model_ptr(); }
  std::string solver_id() const { return solver_.id(); }
  // Returns whether the dynamics are those of a mechanism with closed loops, in which passive
  // joints move with the others.
  bool is_closed() const { return bool(mechanism_); }
  // Returns a sentence that explains a status of a call of the service.
  std::string explain(Status status) const {
    return reason_.empty() ? solver_.explain(status) : reason_;
  }
  // Returns why the last call of the service failed, if its status does not explain it, or "".
  const std::string& reason() const { return reason_; }

 private:
  void set_state(const double* q, const double* v);
  void write_configuration(uint32_t number, double* q) const;
  void add_springs(const double* q, double sign, double* f) const;
  Status solve(Quantity quantity, const double* q, const double* given, double* out);
  template <class Call>
  static torsor_status with(const torsor_dynamics* table, const double* q, const double* v,
                            Call&& call);

  Solver solver_;
  MechanismDynamics mechanism_;
  State state_;
  std::vector<torsor_drive> drives_;
  std::vector<double> motor_viscous_, motor_coulomb_;  // [n_v] parts that act at the motors
  std::vector<int32_t> tied_;                          // [n_v]
  std::vector<double> stiffness_;                      // [n_v * n_v]
  std::vector<torsor_mimic> mimics_;                   // [n_v]
  std::string reason_;
  std::vector<double> rest_;           // [n_v] zeros
  std::vector<Twist<double>> twists_;  // scratch of the regressor
  std::vector<double> J_;              // [n_v][6]
  std::vector<double> tau_;            // [n_v]
  // [2][3][n_v]: vdot and its derivatives, then tau and its derivatives.
  std::vector<double> rates_;
  // The springs of the joints. The dynamics of the nominal model include their torques, such as
  // k (q - rest).
  struct JointSpring {
    int column, coordinate;
    double stiffness, rest;
  };
  std::vector<JointSpring> springs_;
  std::vector<PoseSpringElement> pose_springs_;
  // Protects state_ and the scratch memory, because two copies of a run may call at the same time.
  std::mutex mutex_;
  torsor_dynamics table_;
};

// Returns the limits, friction and elasticity of each dof, [n_v], for controllers.
std::vector<torsor_drive> drives_of(const Model& model);

}  // namespace torsor

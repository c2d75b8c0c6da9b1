#pragma once
// The host service TORSOR_HOST_DYNAMICS: the dynamics of a controller's nominal model, computed by
// a solver of the controller's choice.

#include <Eigen/Core>
#include <mutex>

#include "torsor/handles/solver.hpp"
#include "torsor/sdk/ext/host_dynamics.h"

namespace torsor {

class DynamicsService {
 public:
  DynamicsService(Solver solver, std::shared_ptr<const Model> model, const Vec3<double>& gravity_W);
  DynamicsService(const DynamicsService&) = delete;
  DynamicsService& operator=(const DynamicsService&) = delete;

  const torsor_dynamics* table() const { return &table_; }
  const Model& model() const { return state_.model(); }
  std::shared_ptr<const Model> model_ptr() const { return state_.model_ptr(); }
  std::string solver_id() const { return solver_.id(); }
  // Returns a sentence for a status of one of its calls.
  std::string explain(Status status) const { return solver_.explain(status); }

 private:
  void set_state(const double* q, const double* v);
  void put_configuration(uint32_t number, double* q) const;
  void add_springs(const double* q, double sign, double* f) const;
  template <class Call>
  static torsor_status with(const torsor_dynamics* table, const double* q, const double* v,
                            Call&& call);

  Solver solver_;
  State state_;
  std::vector<torsor_drive> drives_;
  std::vector<double> motor_viscous_, motor_coulomb_;  // [n_v] the parts of drives_ at the motors
  std::vector<int32_t> tied_;                          // [n_v]
  std::vector<double> rest_;                           // [n_v] zeros
  std::vector<Twist<double>> twists_;                  // scratch of the regressor
  Eigen::MatrixXd J_;                                  // [6 x n_v]
  std::vector<double> tau_;                            // [n_v]
  // [2][3][n_v]: vdot and its derivatives, then tau and its derivatives.
  std::vector<double> rates_;
  // A spring of a joint. Its torque k (q - rest) is part of the dynamics of the nominal model, as
  // it is part of the robot's.
  struct JointSpring {
    int column, coordinate;
    double stiffness, rest;
  };
  std::vector<JointSpring> springs_;
  // Guards state_ and the scratch: two copies of a run may call at the same time.
  std::mutex mutex_;
  torsor_dynamics table_;
};

// Returns the limits, friction and elasticity of each dof that controllers may know, [n_v].
std::vector<torsor_drive> drives_of(const Model& model);

}  // namespace torsor

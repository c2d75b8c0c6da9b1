#pragma once
// Motors and joints: conversion of rates and torques, the limits of motors, and the rotors of
// transmissions whose Jacobian depends on q.
//
// The torque tau_m and the rate v_m of a motor are those of its shaft. The motor of a single joint
// turns at N v and exerts N tau_m on the joint. The motors of a coupled transmission move their
// joints together (KHALIL 7.31-7.33). With W = J_qm^-1:
//   v_m = W v,  tau = W^T tau_m
// Motors have the same indices as dof: motor k of a transmission has the index of the
// transmission's joint k.
//
// The rotors of a transmission accelerate by v_m_dot = W vdot + Wdot v. The torques J_m v_m_dot of
// their inertias act on the joints by the principle of virtual work:
//   W^T J_m W vdot + W^T J_m Wdot v,   Wdot = -W Jdot_qm W
// The power of these torques is the rate of the kinetic energy 1/2 v_m^T J_m v_m.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// Returns the motor with the index of a dof: the motor of its joint, or a motor of its
// transmission.
const Motor& motor_of_dof(const Model& model, int dof);

// Returns the torques at the joint that the joint's own motor can exert: the limits of the joint's
// effort, of the torque-speed line and of the amplifier. rate: rate of the motor on the joint's
// side of the gear.
TorqueRange torque_range(const Model& model, int dof, double rate);

// Returns whether a motor has a limit of its torque.
bool has_torque_limit(const Motor& motor);

class Transmissions {
 public:
  Transmissions() = default;
  explicit Transmissions(std::shared_ptr<const Model> model);

  // Returns whether some Jacobian depends on q. If none does, evaluate() does nothing.
  bool vary() const { return vary_; }
  // Evaluates the Jacobians at q [n_q] and v [n_v]. All other functions refer to this state. Throws
  // Error with the joints and their positions if a Jacobian is singular or not defined. Also throws
  // Error if a determinant has another sign than in the last evaluation: the motion has passed a
  // singularity. After reset(), the sign may be any.
  void evaluate(std::span<const double> q, std::span<const double> v);
  void reset();
  // Returns the number of transmissions of the model.
  size_t size() const { return groups_.size(); }
  // Returns W of a transmission, [n * n] by rows.
  std::span<const double> inverse(size_t group) const { return groups_[group].W; }

  // Adds to tau [n_v] the joint torques that result from the motor torques motor_tau [n_v].
  void add_motor_torques(std::span<const double> motor_tau, std::span<double> tau) const;
  // Computes the motor torques motor_tau [n_v] that exert tau [n_v] on the joints.
  void motor_torques(std::span<const double> tau, std::span<double> motor_tau) const;
  // Computes the rates of the motors' shafts, [n_v]. rate [n_v]: the rates of the joints' own
  // motors on the joints' side of the gear, which are v for rigid joints.
  void motor_rates(std::span<const double> rate, std::span<double> motor_rate) const;
  // Returns whether some motor has a limit. If none has, limit() does nothing.
  bool has_limits() const { return limits_; }
  // Replaces the torques tau [n_v] of the motors at the joints by those that the limits of the
  // motors allow.
  void limit(std::span<const double> rate, std::span<double> tau) const;
  // Returns whether the motor with the index of a dof is at a limit when the motors exert tau [n_v]
  // on the joints. Torques within rounding of a limit count as limited.
  bool is_saturated(int dof, std::span<const double> rate, std::span<const double> tau) const;

  // The functions below concern only transmissions whose Jacobian depends on q.
  // Add W^T J_m W vdot and W^T J_m Wdot v to tau [n_v].
  void add_rotor_inertia(const double* vdot, double* tau) const;
  void add_rotor_coriolis(double* tau) const;
  // Adds the rate of the momentum W^T J_m W v at vdot = 0 to p_dot [n_v]: W^T J_m Wdot v + Wdot^T
  // J_m W v.
  void add_rotor_momentum_rate(double* p_dot) const;
  // Returns the kinetic energy of the rotors, J.
  double rotor_energy() const;

 private:
  // A transmission at a state, with matrices [n * n] by rows.
  struct Group {
    std::vector<double> J, W, J_dot, scratch;
    std::vector<double> q, v;            // [n] of its joints
    std::vector<double> motor_v, drift;  // [n] W v and Wdot v
    int sign = 0;                        // of det J; 0: not evaluated yet
  };
  void evaluate(const Transmission& transmission, Group& group);

  std::shared_ptr<const Model> model_;
  bool vary_ = false, limits_ = false;
  std::vector<int> limited_dofs_;  // dof whose own motor has a limit
  std::vector<Group> groups_;
};

// An entry of a Jacobian: a constant, or a function of the position x of one joint. The function is
// a polynomial, or a natural cubic spline through the values of a table.
struct JacobianEntry {
  // Returns the polynomial sum_k coefficients[k] x^k of joint `of`, an index in the transmission.
  static JacobianEntry polynomial(size_t of, std::vector<double> coefficients);
  // Returns the spline through (x[k], values[k]). Throws Error unless x ascends, both have the same
  // length of at least 3, and all numbers are finite.
  static JacobianEntry table(size_t of, std::vector<double> x, std::vector<double> values);

  size_t of = 0;
  std::vector<double> coefficients;  // of the polynomial; empty for a table
  // The table, and the second derivatives of the spline at its nodes.
  std::vector<double> x, values, curvature;
  // Returns the value and the derivative at x, or NaN outside of the table.
  std::pair<double, double> at(double x) const;
};

// Returns the law with these entries, [n][n] by rows.
std::shared_ptr<const TransmissionLaw> make_law(std::vector<std::vector<JacobianEntry>> entries);
// Returns the entries of a law of make_law(), by rows, or nothing for other laws.
std::span<const std::vector<JacobianEntry>> entries_of(const TransmissionLaw& law);

}  // namespace torsor

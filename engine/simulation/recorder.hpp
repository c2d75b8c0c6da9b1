#pragma once
// What a recording holds: named signals of a simulation, one row per sample.
//
// Signal names. R is a robot's name; F one of its links or frames.
//   R.q  R.v  R.vdot           per joint: a column R.q.JOINT, or R.q.JOINT.ENTRY of a joint of several (Model::coordinate_names)
//   R.tau  R.friction  R.constraint
//                              per joint: the torque that its motor gives it; what friction and damping take; what stiction, stops
//                              and mimicry give
//   R.motor_tau                per joint: the torque of its motor's shaft; of a transmission motor k is named as joint k
//   R.motor_q  R.motor_v       per elastic joint: its motor's position and velocity, on the joint's side of the gear
//   R.inertial  R.centrifugal  R.coriolis  R.gravity
//                              per joint: the parts of the torque that moving the bodies takes (Solver::torque_split)
//   R.power  R.friction_power  R.constraint_power
//                              per joint: the power of its motor; of friction and damping; of what stiction, stops, mimicry and
//                              prescribed motion give (Simulation::Powers)
//   R.C.S                      signal S of the control C of R, as its law gave it last; of one that is an acceleration of joints also
//                              R.C.S_residual: it minus the acceleration that they have. Of what C follows R.C.q_ref, R.C.v_ref and R.C.error, from q to q_ref; of a frame R.C.pose_ref
//   R.pose.F                   position (m) and quaternion (w, x, y, z) of frame F in the world
//   R.twist.F                  body-fixed twist of F: (omega, v) in F's axes at F's origin
//   pull                       the wrench of who pulls a body in the editor: (moment, force) at the origin of the frame that is pulled, in
//                              the axes of the world; zero where nobody does
//   compare.Q                  relative disagreement of each compared solver with the experiment's own; Q: vdot, tau,
//                              ... (dynamics/comparison.hpp). Infinite where one of the two failed
//   energy                     kinetic, potential, elastic; the works of motors, friction, ... (snapshot.hpp) since the start,
//                              negative where they take energy; and what the ledger lacks: the integrator's error
//   power                      the rates of those works that are integrals: motors, friction, damping, wrenches, forces, contact

#include <functional>
#include <string>
#include <vector>

#include "torsor/dynamics/comparison.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

struct Column {
  std::string name;   // "iiwa.q.joint1"
  std::string unit;   // "rad"
  std::string frame;  // that its component is in; "" for a scalar
  bool may_be_infinite = false;
  bool operator==(const Column&) const = default;
};

class Recorder {
 public:
  // compared: ids of the solvers of compare signals. Throws Error for an unknown or repeated signal, with
  // "did you mean" and the list.
  Recorder(const Model& model, const std::vector<std::string>& signals,
           const std::vector<std::string>& compared = {}, const std::vector<Control>& controls = {});

  const std::vector<Column>& columns() const { return columns_; }  // the first is time
  // The present state, [columns().size()], valid until the next call; disagreements: RunComparison::at.
  // Throws Error for a value that is not finite.
  std::span<const double> sample(Simulation& simulation, std::span<const Disagreement> disagreements = {});

  // Every signal the model offers, and those of a comparison and of controls.
  static std::vector<std::string> signals(const Model& model, bool compared = false,
                                          const std::vector<Control>& controls = {});

 private:
  struct Source {
    Simulation& simulation;
    std::span<const Disagreement> disagreements;
  };
  using Writer = std::function<void(const Source&, double*& out)>;
  void add(const Model& model, const std::string& signal, const std::vector<std::string>& compared,
           const std::vector<Control>& controls);
  bool add_control_signal(const Model& model, const std::string& signal,
                          const std::vector<Control>& controls);
  void add_joint_signal(const Model& model, const Robot& robot, const std::string& quantity);
  void add_motor_signal(const Model& model, const Robot& robot, int signal);
  void add_frame_signal(const Model& model, const std::string& robot, const std::string& quantity, int frame);
  void add_energy();
  void add_pull();
  void add_power();
  void add_comparison(Compared quantity, const std::vector<std::string>& compared);

  std::vector<Column> columns_;
  std::vector<Writer> writers_;
  std::vector<double> row_;
};

}  // namespace torsor

#pragma once
// Recorder: evaluates the named signals of a simulation, one row per sample.
//
// Signal names. R is the name of a robot, C of one of its controls, F of one of its links or
// frames.
//   R.q  R.v  R.vdot           per joint: a column R.q.JOINT, or R.q.JOINT.ENTRY for a joint with
//                              several coordinates (Model::coordinate_names)
//   R.tau                      per joint: the torque of its motor
//   R.friction                 per joint: the torque of friction and damping
//   R.constraint               per joint: the torque of static friction, stops, mimic joints and
//                              prescribed motion
//   R.motor_tau                per joint: the torque at its motor's shaft. Motor k of a
//                              transmission has the name of joint k
//   R.input  R.current  R.voltage
//                              per motor with the constants of an amplifier: its input u, current
//                              and voltage
//   R.motor_q  R.motor_v       per elastic joint: its motor's position and velocity, on the joint's
//                              side of the gear
//   R.inertial  R.centrifugal  R.coriolis  R.gravity
//                              per joint: the components of the torque that moves the bodies
//                              (Solver::torque_split)
//   R.power                    per joint: the power of its motor (Simulation::Powers)
//   R.friction_power           per joint: the power of friction and damping
//   R.constraint_power         per joint: the power of static friction, stops, mimic joints and
//                              prescribed motion
//   R.C.S                      signal S of the control C, as its law last returned it
//   R.C.S_residual             S minus the actual acceleration, if S is an acceleration of joints
//   R.C.q_ref  R.C.v_ref       the reference of C, if it is one of joints
//   R.C.error                  the displacement from q to q_ref
//   R.C.pose_ref               the reference of C, if it is one of a frame
//   R.C.q_measured  R.C.v_measured
//                              measurements of C: the values of its sensor at its last sample
//   R.pose.F                   position (m) and quaternion (w, x, y, z) of frame F in the world.
//                              The sign of the quaternion is continuous in time
//   R.twist.F                  body-fixed twist of F: (omega, v) in F's axes at F's origin
//   R.imu.F                    angular velocity (rad/s) and specific force (m/s^2), which is the
//                              acceleration - g, of frame F in its axes
//   R.joint_wrench.J           the wrench that joint J transmits to its link: (moment, force) at
//                              the origin of the link in its axes
//   R.joint_wrench.J:F         the same wrench at the origin of frame F in its axes
//   R.touch.L                  1 if link L has a touching point, otherwise 0
//   R.sensor.S                 what the sensor S of the robot provides, with its noise and delay
//                              (control/robot_sensor.hpp)
//   pull                       the wrench of a pull in the editor: (moment, force) at the origin of
//                              the pulled frame, in the axes of the world; zero without a pull
//   closure.C                  the wrench of the first frame of the closure C on the second one:
//                              (moment, force) at the origin of the second, in the axes of the
//                              first. It is the torque or force on the first joint of a gear or
//                              rack, and the tension of a cable
//   closure_error.C            the size of the position errors phi of the closure C: distance (m)
//                              and angle (rad), of those that it has. It is one number for a gear,
//                              rack or cable
//   least_distance             the least signed distance of all pairs of colliders that may
//                              collide, m; infinite if there are none
//   distance.A:B               the signed distance of the colliders A and B, m
//   contacts                   the number of touching points: those with a normal force
//   contact.N.Q                quantity Q of all contacts of N: a link, a collider, or `world`
//   contact.A:B.Q              quantity Q of the contacts between A and B. Forces are those on B
//                                force, moment   sums in the axes of the world, N and N m, of the
//                                                mean forces over the step that starts at the row;
//                                                moments are about the origin of the link
//                                points          number of touching points
//                                penetration     largest overlap, m
//                                slip            largest tangential speed of touching points, m/s
//   compare.Q                  relative disagreement of each compared solver with the
//                              experiment's solver in Q: vdot, tau, ...
//                              (analysis/comparison.hpp). Infinite if one of the two failed
//   energy                     kinetic, potential and elastic energy; the works of motors,
//                              friction, ... (snapshot.hpp) since the start, negative if they
//                              remove energy; and the error of the ledger (energy_watch.hpp)
//   power                      the powers whose integrals are works: motors, friction, damping,
//                              wrenches, forces, contact

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/analysis/comparison.hpp"
#include "torsor/signals/column.hpp"
#include "torsor/signals/signal_names.hpp"

namespace torsor {

class ContactDetector;
struct ContactForce;
class Simulation;
struct ContactColumns;

class Recorder {
 public:
  // compared: ids of the solvers for compare signals. Throws Error for an unknown or repeated
  // signal. The message suggests similar names and lists the signals.
  Recorder(const Model& model, const std::vector<std::string>& signals,
           const std::vector<std::string>& compared = {}, const std::vector<Control>& controls = {},
           std::span<const RobotSensor> sensors = {});

  const std::vector<Column>& columns() const { return columns_; }  // the first column is time
  // Returns the row of the present state, [columns().size()], valid until the next call.
  // disagreements: the result of RunComparison::at(). Throws Error if a value is not finite.
  std::span<const double> sample(Simulation& simulation,
                                 std::span<const Disagreement> disagreements = {});

  // Returns the names of all signals of the model and the controls, and of comparisons if
  // `compared`.
  static std::vector<std::string> signals(const Model& model, bool compared = false,
                                          const std::vector<Control>& controls = {},
                                          std::span<const RobotSensor> sensors = {});

 private:
  struct Source {
    Recorder& recorder;
    Simulation& simulation;
    std::span<const Disagreement> disagreements;
  };
  using Writer = std::function<void(const Source&, double*& out)>;
  void add(const SignalNames& names, const std::string& signal,
           const std::vector<std::string>& compared);
  // Add the signal if it is of the kind in the function's name, and return true. Otherwise return
  // false. rest: the signal's name after "ROBOT.".
  bool add_control_signal(const SignalNames& names, const Robot& robot, const std::string& signal,
                          std::string_view rest);
  bool add_law_signal(const Robot& robot, const Control& control, size_t k,
                      const std::string& signal, std::string_view own);
  bool add_robot_signal(const SignalNames& names, const Robot& robot, const std::string& signal,
                        std::string_view rest);
  bool add_sensor(const SignalNames& names, const Robot& robot, const std::string& signal,
                  std::string_view rest);
  bool add_joint_wrench(const SignalNames& names, const Robot& robot, const std::string& signal,
                        std::string_view rest);
  void add_joint_signal(const SignalNames& names, const Robot& robot, size_t k);
  void add_amplifier_signal(const SignalNames& names, const Robot& robot, size_t k,
                            std::vector<int> dofs);
  void add_motor_signal(const SignalNames& names, const Robot& robot, size_t k);
  void add_pose(const std::string& signal, int frame);
  void add_twist(const Model& model, const std::string& signal, int frame);
  void add_imu(const Model& model, const std::string& signal, int frame);
  void add_contact(ContactColumns signal);
  void add_energy();
  void add_wrench(const std::string& signal, const std::string& frame,
                  std::function<Wrench<double>(const Source&)> wrench);
  void add_pull();
  void add_closure(const Model& model, const std::string& signal, size_t index);
  void add_closure_error(const Model& model, const std::string& signal, size_t index);
  void add_power();
  // Adds the signal if it is a distance, and returns true. Throws Error for unknown colliders.
  bool add_distance(const Model& model, const std::string& signal);
  void add_comparison(Compared quantity, const std::vector<std::string>& compared);
  const std::vector<double>& joint_values(size_t k, Simulation& simulation);
  ContactDetector& detector(Simulation& simulation);
  // Return values of the present row, which are evaluated once.
  const std::vector<double>& acceleration(Simulation& simulation);
  const std::vector<ContactForce>& contact_forces(Simulation& simulation);
  const std::vector<Wrench<double>>& closure_wrenches(Simulation& simulation);
  const std::vector<Wrench<double>>& joint_wrenches(Simulation& simulation);
  // Returns the present state with the wrenches of forces and contacts.
  State loaded_state(Simulation& simulation);

  std::vector<Column> columns_;
  std::vector<Writer> writers_;
  std::vector<double> row_;
  // Values of each joint signal for the present row; empty if not evaluated yet
  std::vector<std::vector<double>> joint_values_;
  std::shared_ptr<ContactDetector> detector_;  // made when it is needed
  // Values of the present row; empty until they are needed
  std::vector<Wrench<double>> closure_wrenches_, joint_wrenches_;
  std::shared_ptr<const std::vector<ContactForce>> contact_forces_;
};

}  // namespace torsor

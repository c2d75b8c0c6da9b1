#pragma once
// Loads: everything that acts on a mechanism apart from its own springs and frictions.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "torsor/control/control.hpp"
#include "torsor/plugin/force.hpp"
#include "torsor/simulation/prescribed.hpp"

namespace torsor {

// A force as a function of time and of the state of one robot. It is evaluated within steps, must
// return the same for the same arguments, and may throw Error.
struct ForceFunction {
  int robot = 0;            // of Model::robots: whose columns it sees and acts on
  std::vector<int> frames;  // of Model::frames: which it sees and acts on
  struct State {
    double t;
    std::span<const double> q, v;        // of the robot
    std::span<const Pose<double>> X_WF;  // [frames]
    // [frames] (omega, pdot): of the frame, and of its origin, in the axes of the world.
    std::span<const Twist<double>> V_WF_W;
  };
  // Loads BY the environment, zero before the call: on the joints, and on the frames at their
  // origins in the axes of the world.
  struct Answer {
    std::span<double> tau;            // [columns of the robot]
    std::span<Wrench<double>> F_F_W;  // [frames]
  };
  std::function<void(const State&, const Answer&)> evaluate;
};

// A spring and a damper that pull a point p of a frame's body to a point of the world: the force on
// it is
//   k (target - p) - c pdot
// Its work counts as Work::wrenches.
struct Pull {
  std::string frame;      // of Model::frames, by name
  Vec3<double> point_F;   // m
  Vec3<double> target_W;  // m
  double stiffness = 0;   // N/m
  double damping = 0;     // N s/m
  bool operator==(const Pull& other) const;
};

// All loads of a run. Functions of time are evaluated within steps and must return the same for the
// same t; they may throw Error.
struct Load {
  // First, so that it goes last: of what plugins below need.
  std::shared_ptr<const void> owner = {};
  std::vector<double> tau;  // [n_v] constant torques of the motors; empty: zero
  // Adds torques of the motors to tau, [n_v]. Empty: none.
  std::function<void(double t, std::span<double> tau)> tau_of_time = {};
  // Frame index, and a wrench BY the environment at the frame's origin in its axes.
  std::vector<std::pair<int, Wrench<double>>> wrench_F = {};
  std::vector<std::pair<int, std::function<Wrench<double>(double t)>>> wrench_of_time = {};
  std::vector<std::shared_ptr<const Force>> forces = {};
  std::vector<ForceFunction> force_functions = {};
  std::vector<Prescription> prescriptions = {};
  std::vector<Control> controls = {};  // their torques add up
  std::optional<Pull> pull = {};
};

// The wrench of a pull on its frame, at the frame's origin in the axes of the world. pose and twist
// of the frame: X_WF, and (omega, v) in its own axes.
Wrench<double> wrench_F_W(const Pull& pull, const Pose<double>& X_WF, const Twist<double>& V_WF_F);

// Throws Error if the states of the forces and controls of a load have another layout than those of
// the last load.
void require_layout(const Load& load, const Load& last);

// The wrenches and forces of a load at one time after the other.
class Applied {
 public:
  Applied(const Model& model, const Load& load);

  int n_x() const { return n_x_; }  // continuous states of the forces, in their order

  // At the position and velocity of the state: puts the wrenches into it and adds the torques of
  // the forces to f [n_v]; xdot [n_x]; powers of the wrenches, the forces and the contacts,
  // [n_integrated_works] by Work. False where one gives nothing; failure() then says why. No
  // allocation but what functions make.
  bool apply(State& state, const double* x, double* f, double* xdot, double* works);
  const std::string& failure() const { return failure_; }
  void set_pull(const Model& model, const std::optional<Pull>& pull);
  // Returns the energy that the forces keep, J; NaN if one fails.
  double energy(const State& state, const double* x) const;

 private:
  std::vector<Wrench<double>> constant_F_B_, F_B_;  // [n_body]
  struct OfTime {
    Frame frame;
    std::function<Wrench<double>(double)> F_F;
  };
  std::vector<OfTime> of_time_;
  struct Law {
    std::shared_ptr<const Force> force;
    Force::Result result;
  };
  std::vector<Law> laws_;
  struct Function {
    ForceFunction force;
    const Robot* robot;
    std::vector<Frame> frames;
    std::vector<double> tau;
    std::vector<Pose<double>> X_WF;
    std::vector<Twist<double>> V_WF_W;
    std::vector<Wrench<double>> F_F_W;
  };
  std::vector<Function> functions_;
  // To F_B_ and f; returns its power.
  double add(Function& function, const State& state, double* f);
  double add_pull();  // to F_B_; returns its power
  std::optional<Pull> pull_;
  Frame pulled_;
  int n_x_ = 0;
  bool none_;
  std::vector<Pose<double>> X_WB_;     // [n_body]
  std::vector<Twist<double>> V_WB_B_;  // [n_body]
  std::string failure_;
};

}  // namespace torsor

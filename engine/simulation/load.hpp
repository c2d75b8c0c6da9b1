#pragma once
// Loads: everything that acts on a mechanism except its own springs and frictions.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "torsor/control/control.hpp"
#include "torsor/handles/force.hpp"
#include "torsor/simulation/prescribed.hpp"

namespace torsor {

// A force as a function of time and of the state of one robot. The function is called within steps.
// It must return the same result for the same arguments, and may throw Error.
struct ForceFunction {
  int robot = 0;            // index in Model::robots; the force reads and acts on its dof
  std::vector<int> frames;  // indices in Model::frames; the force reads and acts on them
  struct State {
    double t;
    std::span<const double> q, v;        // q and v of this robot only
    std::span<const Pose<double>> X_WF;  // [frames]
    // [frames] (omega of the frame, velocity of its origin), in the world axes
    std::span<const Twist<double>> V_WF_W;
  };
  // Loads applied BY the environment. They are zero before the call. Wrenches act at the origins of
  // the frames and are expressed in the axes of the world.
  struct Answer {
    std::span<double> tau;            // [dof of the robot]
    std::span<Wrench<double>> F_F_W;  // [frames]
  };
  std::function<void(const State&, const Answer&)> evaluate;
};

// A spring and a damper that pull a point p, fixed to the body of a frame, to a fixed point of the
// world. The force on p is
//   k (target - p) - c pdot
// Its work counts as Work::wrenches.
struct Pull {
  std::string frame;      // name in Model::frames
  Vec3<double> point_F;   // m
  Vec3<double> target_W;  // m
  double stiffness = 0;   // N/m
  double damping = 0;     // N s/m
  bool operator==(const Pull& other) const;
};

// All loads of a run. Functions of time are called within steps. They must return the same value
// for the same t, and may throw Error.
struct Load {
  // Owner of resources that the plugins below use. It is the first member, so it is destroyed last.
  std::shared_ptr<const void> owner = {};
  std::vector<double> tau;  // [n_v] constant torques of the motors; zero if empty
  // [n_v] constant torques at the shafts of motors; none if empty
  std::vector<double> motor_tau = {};
  // Adds torques of the motors to tau, [n_v]; may be an empty function
  std::function<void(double t, std::span<double> tau)> tau_of_time = {};
  // Frame index, and a wrench applied BY the environment at the frame's origin, in the frame's axes
  std::vector<std::pair<int, Wrench<double>>> wrench_F = {};
  std::vector<std::pair<int, std::function<Wrench<double>(double t)>>> wrench_of_time = {};
  std::vector<std::shared_ptr<const Force>> forces = {};
  std::vector<ForceFunction> force_functions = {};
  std::vector<Prescription> prescriptions = {};
  std::vector<Control> controls = {};  // their torques add up
  std::vector<RobotSensor> sensors = {};
  std::optional<Pull> pull = {};
};

// Returns the wrench of a pull on its frame, at the frame's origin in the axes of the world. X_WF
// is the pose of the frame. V_WF_F is the frame's twist (omega, v), expressed in its own axes.
Wrench<double> wrench_F_W(const Pull& pull, const Pose<double>& X_WF, const Twist<double>& V_WF_F);

// Throws Error if the numbers of forces, controls or sensors, or the sizes of their stored states,
// differ from those of the last load.
void require_layout(const Load& load, const Load& last);

// The evaluator of a load: computes its wrenches and forces at a state.
class Applied {
 public:
  Applied(const Model& model, const Load& load);

  // Returns the number of continuous states of all forces, which are stored in the order of the
  // forces.
  int n_x() const { return n_x_; }
  // Returns whether there are any wrenches or forces.
  bool acts() const { return acts_ || pull_; }

  // Evaluates the load at the position and velocity of the state. Writes the wrenches into the
  // state, adds the torques of the forces to f [n_v], and writes the rates xdot [n_x]. Writes the
  // powers of the wrenches, forces and contacts to works [n_integrated_works], indexed by Work.
  // Returns false if a load cannot be evaluated. failure() then returns the reason. Does not
  // allocate, except in user functions.
  bool apply(State& state, const double* x, double* f, double* xdot, double* works);
  const std::string& failure() const { return failure_; }
  void set_pull(const Model& model, const std::optional<Pull>& pull);
  // Returns the energy stored by the forces, J, or NaN if a force fails.
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
  // Adds a force function to F_B_ and f. Returns its power, W.
  double add(Function& function, const State& state, double* f);
  // Adds the pull to F_B_. Returns its power, W.
  double add_pull();
  std::optional<Pull> pull_;
  Frame pulled_;
  int n_x_ = 0;
  bool acts_;                          // without a pull
  std::vector<Pose<double>> X_WB_;     // [n_body]
  std::vector<Twist<double>> V_WB_B_;  // [n_body]
  std::string failure_;
};

}  // namespace torsor

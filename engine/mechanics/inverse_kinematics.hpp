#pragma once
// Inverse kinematics (KHALIL 9.18): searches for a q at which a frame has a target pose, by damped
// least squares. The start position determines which solution is found.

#include <functional>

#include "torsor/mechanics/task.hpp"

namespace torsor {

struct PoseTarget {
  Frame frame;
  Pose<double> X_WF;  // target pose
  Components components = pose_components;
};

struct SearchSettings {
  std::vector<int> locked = {};  // indices of Model::joints that keep their start values
  double tolerance = 1e-12;      // maximum |residual| of a solution; 1 m counts as 1 rad
  int max_iterations = 200;
  // Called before each trial step, and before each evaluation for second derivatives. May throw to
  // end the search. May be an empty function.
  std::function<void()> working = {};
};

enum class SearchEnd {
  found,
  // |residual| has a local minimum: no motion of the joints reduces it.
  out_of_reach,
  at_limits,  // joints that would have to move further to reduce |residual| are at their limits
  // No joint rates reduce |residual| at first order. A motion along joint_direction reduces it at
  // second order, in either direction.
  singular,
  no_progress  // after max_iterations, or because steps are below rounding error
};

const char* name(SearchEnd end);  // "found", "out_of_reach", ...

struct SearchResult {
  // [n_q] within the limits. Quaternions have norm 1, and mimic joints follow the joints that they
  // mimic. Rotor bodies of elastic joints keep their start values.
  std::vector<double> q;
  // Rotation vector (rad) and translation (m) from the frame to its target, in the axes of the
  // world. Components that are not selected are 0.
  std::array<double, 6> residual{};
  int iterations = 0;
  SearchEnd end = SearchEnd::found;
  // The limits that prevent a further reduction of |residual|, if end is at_limits.
  struct AtLimit {
    int joint;
    bool upper;
  };
  std::vector<AtLimit> limits;
  // [n_v] unit vector along which |residual| decreases at second order, if end is singular.
  std::vector<double> joint_direction;
  // Unit vector along which the frame cannot be moved, if end is singular or out_of_reach. Its
  // product with J^T is 0.
  std::array<double, 6> task_direction{};

  double error() const;  // |residual|
};

// Returns the neutral q. If the limits of a joint exclude its neutral value, uses the middle of the
// limits, or the finite limit if the other one is infinite.
std::vector<double> start_within_limits(const Model& model);

// Searches from a start [n_q]. The norms of its quaternions must be 1 to within 1 %. Mimic joints
// are first moved to the values that the joints they mimic require. Throws Error if the start is
// outside the limits, and under the same conditions as the constructor of FreeDofs.
SearchResult solve_inverse_kinematics(std::shared_ptr<const Model> model, const PoseTarget& target,
                                      std::span<const double> start,
                                      const SearchSettings& settings = {});

struct SearchFromStarts {
  SearchResult result;
  int searches = 1;  // number of searches; if the last one reached the target, it is the result
};

// Searches from `start`, then from random positions within the limits, until a search reaches the
// target or `starts` searches have been made. Returns the search that ended nearest to the target.
// The random positions are the same in every call. Locked joints keep the values of `start`. Throws
// Error under the same conditions as solve_inverse_kinematics().
SearchFromStarts solve_from_several_starts(std::shared_ptr<const Model> model,
                                           const PoseTarget& target, std::span<const double> start,
                                           int starts, const SearchSettings& settings = {});

// Describes in one sentence how the search ended, without advice.
std::string describe_end(const Model& model, const PoseTarget& target, const SearchResult& result);
// Returns describe_end() with advice on how to change the start or the number of iterations.
std::string explain(const Model& model, const PoseTarget& target, const SearchResult& result);

}  // namespace torsor

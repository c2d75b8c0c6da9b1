#pragma once
// Inverse kinematics (KHALIL 9.18): the search for a q that brings a frame to a target pose, by
// damped least squares. The start determines which solution a search finds.

#include <functional>

#include "torsor/mechanics/task.hpp"

namespace torsor {

struct PoseTarget {
  Frame frame;
  Pose<double> X_WF;  // target
  Components components = pose_components;
};

struct SearchSettings {
  std::vector<int> held = {};  // indices of Model::joints that keep their values of the start
  double tolerance = 1e-12;    // limit of |residual|; 1 m counts as 1 rad
  int max_iterations = 200;
  // Called before each evaluation of the residual, whose products with the map of free dof take
  // n_v^2 operations. It may throw to end the search. It may be empty.
  std::function<void()> working = {};
};

enum class SearchEnd {
  found,
  // The residual is a local minimum: no motion of the joints brings the frame nearer.
  out_of_reach,
  at_limits,  // joints that would bring the frame nearer are at their limits
  // No joint rates bring the frame nearer at first order. A motion along joint_direction would, in
  // either direction.
  singular,
  no_progress  // after max_iterations, or because steps are below rounding error
};

const char* name(SearchEnd end);  // "found", "out_of_reach", ...

struct SearchResult {
  // [n_q] within the limits, with quaternions of norm 1 and joints that mimic at their values.
  // Rotors of elastic joints that are bodies keep their values of the start.
  std::vector<double> q;
  // Rotation vector (rad) and translation (m) from the frame to its target, in the axes of the
  // world. 0 for components that do not count.
  std::array<double, 6> residual{};
  int iterations = 0;
  SearchEnd end = SearchEnd::found;
  // The joints that are at limits, if end is at_limits.
  struct AtLimit {
    int joint;
    bool upper;
  };
  std::vector<AtLimit> limits;
  // [n_v] direction of length 1, if end is singular.
  std::vector<double> joint_direction;
  // Direction of length 1 in which the frame cannot be moved, if end is singular or out_of_reach.
  // J^T times it is 0.
  std::array<double, 6> task_direction{};

  double error() const;  // |residual|
};

// Returns the neutral q. If the limits of a joint exclude this value, returns the middle of its
// limits, or its only limit.
std::vector<double> start_within_limits(const Model& model);

// Searches from a start [n_q], with quaternions of norm 1 to within 1 %. Joints that mimic are
// first moved to their values. Throws Error if the start is outside the limits, and for held joints
// as FreeDofs does.
SearchResult solve_inverse_kinematics(std::shared_ptr<const Model> model, const PoseTarget& target,
                                      std::span<const double> start,
                                      const SearchSettings& settings = {});

struct SearchFromStarts {
  SearchResult result;
  int searches = 1;  // number of searches made; the last one is the result if it reached the target
};

// Searches from `start`, then from random positions within the limits, until a search reaches the
// target or `starts` searches are made. Returns the search that ended nearest to the target. The
// random positions are the same in every call. Held joints keep the values of `start`. Throws Error
// as solve_inverse_kinematics does.
SearchFromStarts solve_from_several_starts(std::shared_ptr<const Model> model,
                                           const PoseTarget& target, std::span<const double> start,
                                           int starts, const SearchSettings& settings = {});

// Returns how the search ended, in one sentence without advice.
std::string describe_end(const Model& model, const PoseTarget& target, const SearchResult& result);
// Returns describe_end() with advice for a caller who chooses the start and the number of
// iterations.
std::string explain(const Model& model, const PoseTarget& target, const SearchResult& result);

}  // namespace torsor

#pragma once
// Inverse kinematics (KHALIL 9.18): a q that brings a frame to a target pose, searched by damped
// least squares. A search finds the solution that its start leads to, the same one each time.

#include <functional>

#include "torsor/mechanics/task.hpp"

namespace torsor {

struct PoseTarget {
  Frame frame;
  Pose<double> X_WF;  // wanted
  Components components = pose_components;
};

struct SearchSettings {
  std::vector<int> held = {};  // indices of Model::joints that stand where the start has them
  double tolerance = 1e-12;    // of |residual|; 1 m counts as 1 rad
  int max_iterations = 200;
  // Called before each evaluation of the residual, whose products with the map of free coordinates
  // take n_v^2 operations; may throw to end the search. Empty: nothing is called.
  std::function<void()> working = {};
};

enum class SearchEnd {
  // The residual is the least around: nothing that the joints do brings the frame nearer.
  // No joint rates bring it nearer at first order, but a motion along joint_direction would, either
  // way.
  found,
  out_of_reach,
  at_limits,  // joints that would bring it nearer stand at their limits
  singular,
  no_progress  // max_iterations, or steps below rounding
};

const char* name(SearchEnd end);  // "found", "out_of_reach", ...

struct SearchResult {
  // [n_q], within the limits, quaternions of norm 1, joints that mimic where they belong. Rotors of
  // elastic joints that are bodies stay where the start has them.
  std::vector<double> q;
  // Rotation vector and translation, in the axes of the world, from where it is to where it is
  // wanted; 0 of components that do not count.
  std::array<double, 6> residual{};
  int iterations = 0;
  SearchEnd end = SearchEnd::found;
  // at_limits: which joints are at which.
  struct AtLimit {
    int joint;
    bool upper;
  };
  std::vector<AtLimit> limits;
  // singular: [n_v], of length 1.
  std::vector<double> joint_direction;
  // singular, out_of_reach: of length 1, where the frame cannot be moved to; J^T of it is 0.
  std::array<double, 6> task_direction{};

  double error() const;  // |residual|
};

// The neutral q, and the middle of the limits, or the only one, of joints whose limits exclude
// that.
std::vector<double> start_within_limits(const Model& model);

// start: [n_q], quaternions of norm 1 to 1 %; its joints that mimic are put where they belong.
// Throws Error for a start outside limits, and held as FreeColumns does.
SearchResult solve_inverse_kinematics(std::shared_ptr<const Model> model, const PoseTarget& target,
                                      std::span<const double> start,
                                      const SearchSettings& settings = {});

struct SearchFromStarts {
  SearchResult result;
  int searches = 1;  // that were made; the last one is the result's if it reached the target
};

// Searches from `start`, then from random positions within the limits, until a search reaches the
// target or `starts` searches are made. Returns the search that ended nearest to the target. The
// random positions are the same in every call; held joints keep the values of `start`. Throws Error
// as solve_inverse_kinematics.
SearchFromStarts solve_from_several_starts(std::shared_ptr<const Model> model,
                                           const PoseTarget& target, std::span<const double> start,
                                           int starts, const SearchSettings& settings = {});

// Returns how the search ended, in one sentence without advice.
std::string describe_end(const Model& model, const PoseTarget& target, const SearchResult& result);
// Returns the same with advice for a caller who chooses start and number of iterations.
std::string explain(const Model& model, const PoseTarget& target, const SearchResult& result);

}  // namespace torsor

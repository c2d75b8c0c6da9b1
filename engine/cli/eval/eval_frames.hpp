#pragma once
// Converts operational-space quantities, centroidal quantities and joint wrenches to JSON for
// `torsor eval`.

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "torsor/analysis/operational_space.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"

namespace torsor::cli {

// Returns the rows of A [m x n_v]. columns: indices of the model's dof in the order of the output.
nlohmann::ordered_json rows_over_columns(const Eigen::MatrixXd& A, std::span<const int> columns);
nlohmann::ordered_json describe(const OperationalSpace& space, std::span<const int> columns);
nlohmann::ordered_json describe(const Centroidal& whole, std::span<const int> columns);
// Returns the wrenches of the given joints as a JSON object with the joint names as keys. W_B: the
// result of joint_wrenches().
nlohmann::ordered_json joint_wrenches_json(const State& state, std::span<const Wrench<double>> W_B,
                                           std::span<const int> joints);

}  // namespace torsor::cli

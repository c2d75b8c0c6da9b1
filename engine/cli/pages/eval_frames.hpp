#pragma once
// Converts quantities of `torsor eval` that are matrices over degrees of freedom to JSON.

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "torsor/analysis/operational_space.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"

namespace torsor::cli {

// Returns the rows of A [m x n_v]. columns: the degrees of freedom of the model in the order of the
// output.
nlohmann::ordered_json rows_over_columns(const Eigen::MatrixXd& A, std::span<const int> columns);
nlohmann::ordered_json describe(const OperationalSpace& space, std::span<const int> columns);
nlohmann::ordered_json describe(const Centroidal& whole, std::span<const int> columns);
// Returns the wrenches of these joints of the model, by name.
nlohmann::ordered_json joint_wrenches_json(const State& state, std::span<const double> vdot,
                                           std::span<const int> joints);

}  // namespace torsor::cli

#pragma once
// Quantities of `torsor eval` that are matrices over columns of the model, as JSON.

#include <nlohmann/json.hpp>
#include <span>

#include "torsor/dynamics/centroidal.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/dynamics/operational_space.hpp"

namespace torsor::cli {

// columns: of the model, in the order asked for. Rows of A [m x n_v].
nlohmann::ordered_json rows_over_columns(const Eigen::MatrixXd& A, std::span<const int> columns);
nlohmann::ordered_json describe(const OperationalSpace& space, std::span<const int> columns);
nlohmann::ordered_json describe(const Centroidal& whole, std::span<const int> columns);
// By the name of the joint; joints: of the model.
nlohmann::ordered_json joint_wrenches_json(const State& state, std::span<const double> vdot,
                                           std::span<const int> joints);

}  // namespace torsor::cli

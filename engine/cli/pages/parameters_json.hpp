#pragma once
// Converts parameters of the dynamics to JSON, for `torsor eval` and `torsor identify`.

#include <nlohmann/json_fwd.hpp>

#include "torsor/identification/base_parameters.hpp"

namespace torsor::cli {

// Returns the regressor at the q and v of a state and at vdot [n_v], as a JSON object. It contains
// the parameters, their units and values, Y, and a list of neglected effects. order: indices of the
// model's dof in the order of the rows of Y.
nlohmann::ordered_json regressor_json(const State& state, const std::vector<double>& vdot,
                                      const std::vector<int>& order);

// Returns the base parameters as a JSON object. It contains the rank, names, units, values,
// relations, parameters without effect, condition number, and the pivots that determine the rank.
nlohmann::ordered_json base_parameters_json(const BaseParameters& base);

}  // namespace torsor::cli

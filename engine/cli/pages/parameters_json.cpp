#include "torsor/cli/pages/parameters_json.hpp"

#include <nlohmann/json.hpp>

namespace torsor::cli {

using Json = nlohmann::ordered_json;

Json regressor_json(const State& state, const std::vector<double>& vdot,
                    const std::vector<int>& order) {
  LinearModel linear(state.model_ptr());
  const size_t n = linear.parameters().size();
  std::vector<double> Y(size_t(state.model().n_v) * n);
  linear.regressor(state, vdot.data(), Y.data());
  Json names = Json::array(), units = Json::array(), values = Json::array(), rows = Json::array();
  for (const DynamicParameter& parameter : linear.parameters()) {
    names.push_back(parameter.name);
    units.push_back(parameter.unit);
    values.push_back(parameter.value);
  }
  for (const int column : order) {
    const auto row = Y.begin() + ptrdiff_t(size_t(column) * n);
    rows.push_back(std::vector<double>(row, row + ptrdiff_t(n)));
  }
  return {{"parameters", names},
          {"units", units},
          {"values", values},
          {"Y", rows},
          {"left_out", linear.left_out()}};
}

Json base_parameters_json(const BaseParameters& base) {
  return {{"rank", base.rank()},
          {"of", base.standard.size()},
          {"names", base.names},
          {"units", units(base)},
          {"values", base.values},
          {"relations", relations(base)},
          {"without_effect", without_effect(base)},
          {"condition", base.condition},
          {"least_pivot", base.least_pivot},
          {"next_pivot", base.next_pivot},
          {"relations_by_rules", base.by_rules}};
}

}  // namespace torsor::cli

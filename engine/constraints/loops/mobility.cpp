#include "torsor/constraints/loops/mobility.hpp"

#include "torsor/base/linear_algebra.hpp"
#include "torsor/constraints/closure_rows.hpp"

namespace torsor {

int mobility(const State& state) {
  const Model& model = state.model();
  ClosureRows closures(model);
  closures.evaluate(state);
  std::vector<Row> rows(closures.rows());
  for (const Mimicry& mimic : model.mimics)
    rows.push_back({{mimic.dof, 1}, {mimic.of_dof, -mimic.ratio}});
  if (rows.empty()) return model.n_v;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(Eigen::Index(rows.size()), model.n_v);
  for (size_t r = 0; r < rows.size(); ++r)
    for (const auto& [dof, factor] : rows[r]) J(Eigen::Index(r), dof) += factor;
  for (Eigen::Index r = 0; r < J.rows(); ++r)
    if (const double length = J.row(r).norm(); length > 0) J.row(r) /= length;
  constexpr double least_part = 1e-6;
  return model.n_v - int((singular_values(J).array() > least_part).count());
}

}  // namespace torsor

#include "torsor/constraints/loops/constraint_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace torsor {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace

ConstraintRows::ConstraintRows(const Model& model) : closures_(model), mimics_(model.mimics) {
  Eigen::Index rows = 0;
  for (const Mimicry& mimic : mimics_) {
    mimic_turns_.push_back(model.dof(mimic.dof).turns());
    groups_.push_back({model.joint_of_dof(mimic.dof).name, false, rows++, 1});
  }
  for (const Closure& closure : model.closures) groups_.push_back({closure.name, true, rows, 0});
  for (size_t k = 0; k < closures_.size(); ++k)
    ++groups_[mimics_.size() + closures_.closure(k)].size;
  for (size_t c = 0; c < model.closures.size(); ++c) {
    ConstraintGroup& group = groups_[mimics_.size() + c];
    group.first = rows;
    rows += group.size;
  }
  J_.setZero(rows, model.n_v);
  bias_.setZero(rows);
  error_.setZero(rows);
  rounding_.setZero(rows);
  for (size_t k = 0; k < mimics_.size(); ++k) {
    J_(Eigen::Index(k), mimics_[k].dof) = 1;
    J_(Eigen::Index(k), mimics_[k].of_dof) -= mimics_[k].ratio;
  }
}

void ConstraintRows::evaluate(const State& state) {
  const std::vector<int>& coordinate = state.model().coordinate;
  for (size_t k = 0; k < mimics_.size(); ++k) {
    const auto& [dof, of_dof, ratio, offset] = mimics_[k];
    const double follower = state.q()[size_t(coordinate[size_t(dof)])],
                 leader = ratio * state.q()[size_t(coordinate[size_t(of_dof)])];
    error_[Eigen::Index(k)] = follower - leader - offset;
    rounding_[Eigen::Index(k)] = 4 * eps * (std::abs(follower) + std::abs(leader) + 1);
  }
  closures_.evaluate(state);
  for (size_t k = 0; k < closures_.size(); ++k) {
    const Eigen::Index row = first_closure() + Eigen::Index(k);
    for (const auto& [dof, factor] : closures_.rows()[k]) J_(row, dof) = factor;
    bias_[row] = closures_.bias(k);
    error_[row] = closures_.error(k);
    rounding_[row] = closures_.rounding(k);
  }
}

const ConstraintGroup& ConstraintRows::group_of(Eigen::Index row) const {
  size_t k = 0;
  while (row >= groups_[k].first + groups_[k].size) ++k;
  return groups_[k];
}

std::string ConstraintRows::name(Eigen::Index row) const {
  const ConstraintGroup& group = group_of(row);
  return group.is_closure ? fmt::format("{}.{}", group.name, row - group.first + 1) : group.name;
}

bool ConstraintRows::is_distance(Eigen::Index row) const {
  return row < first_closure() ? !mimic_turns_[size_t(row)]
                               : closures_.is_distance(size_t(row - first_closure()));
}

const ConstraintGroup* ConstraintRows::worst_group() const {
  if (size() == 0) return nullptr;
  Eigen::Index worst = 0;
  error_.cwiseAbs().maxCoeff(&worst);
  return &group_of(worst);
}

std::string ConstraintRows::describe_error(const ConstraintGroup& group) const {
  if (group.is_closure) {
    const size_t closure = closures_.closure(size_t(group.first - first_closure()));
    return describe_gap(group.name, closures_.gaps()[closure]);
  }
  return fmt::format("the mimic joint '{}' is off by {:.3g} {}", group.name,
                     std::abs(error_[group.first]), is_distance(group.first) ? "m" : "rad");
}

std::vector<Wrench<double>> ConstraintRows::closure_wrenches(
    const State& state, const Eigen::VectorXd& multipliers) const {
  std::vector<Wrench<double>> out(state.model().closures.size());
  closures_.write_wrenches(state, {multipliers.data() + first_closure(), closures_.size()}, out);
  return out;
}

}  // namespace torsor

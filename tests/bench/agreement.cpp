#include "bench/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/analysis/term_sizes.hpp"

namespace torsor::bench {

namespace {

// Returns the 2-norm without overflow or underflow.
double norm(const std::vector<double>& x) {
  double norm = 0;
  for (const double entry : x) norm = std::hypot(norm, entry);
  return norm;
}

// Returns the rule by which the results of a work are compared.
AgreementRule rule(Work work) {
  return is_quantity(work) ? row_of(Quantity(work)).agreements[0].rule : AgreementRule::entries;
}

}  // namespace

Expected::Expected(const std::shared_ptr<const Model>& model, Subject& reference, Subject& engine,
                   std::span<const Sample> samples, std::span<const Work> works)
    : model_(model), samples_(samples) {
  State state(model);
  TermSizes sizes(*model);
  for (const Sample& sample : samples) {
    state.set_q(sample.q);
    for (const QuantityRow& row : quantities)
      if (const AgreementTerms& given = row.agreements[0].terms; given.any())
        terms_[int(row.quantity)].push_back(sizes.torque(
            state, {.v = given.v ? std::span(sample.v) : std::span<const double>(),
                    .vdot = given.vdot ? std::span(sample.vdot) : std::span<const double>(),
                    .gravity = given.gravity}));
  }
  std::vector<Work> needed(works.begin(), works.end());
  needed.insert(needed.end(), {Work::mass_matrix, Work::inverse_mass_matrix});
  for (const Work work : needed) {
    auto& values = values_[int(work)];
    Subject& subject = is_of_engine(work) ? engine : reference;
    if (!values.empty() || !subject.lacks(work).empty()) continue;
    for (size_t k = 0; k < samples.size() && failure_[int(work)].empty(); ++k) {
      if (!subject.evaluate(work, k)) failure_[int(work)] = subject.failure();
      values.push_back(compared(subject, work, k));
    }
  }
  condition_.assign(samples.size(), 1.0);
  if (failure_[int(Work::inverse_mass_matrix)].empty())
    for (size_t k = 0; k < samples.size(); ++k)
      condition_[k] = norm(values_[int(Work::mass_matrix)][k]) *
                      norm(values_[int(Work::inverse_mass_matrix)][k]);
  for (size_t k = 0; k < samples.size(); ++k)
    if (std::ranges::count(works, Work::jacobian_rates) ||
        std::ranges::count(works, Work::delassus))
      add_screw_terms(engine, k);
}

// Adds the sizes of the terms of results that may vanish, from the matrix J of all screws in the
// world and the positions p of the bodies:
// - The rate of a screw S_k is ad_(V_k) S_k, where V_k is the sum of S_j v_j over the path of dof
// k.
//   Its terms are at most |J|^2 |v|. The rate of the screw of the first joint is zero.
// - The velocity w x p + v of an origin has terms of at most |J| (1 + |p|). It is zero for a point
//   on the axis of its only joint, and so is the Delassus matrix.
void Expected::add_screw_terms(Subject& engine, size_t k) {
  const auto size_of = [&](Work work, auto is_used) {
    std::vector<double> x(result_size(work, *model_));
    (void)engine.evaluate(work, k);
    engine.result(work, x.data());
    for (size_t i = 0; i < x.size(); ++i) x[i] = is_used(i) ? x[i] : 0;
    return norm(x);
  };
  const double J = size_of(Work::joint_jacobians, [](size_t) { return true; }),
               p = size_of(Work::world_poses, [](size_t i) { return i % 12 >= 9; });
  terms_[int(Work::jacobian_rates)].push_back(J * J * norm(samples_[k].v));
  if (failure_[int(Work::inverse_mass_matrix)].empty())
    terms_[int(Work::delassus)].push_back(J * J * (1 + p) * (1 + p) *
                                          norm(values_[int(Work::inverse_mass_matrix)][k]));
}

std::vector<double> Expected::compared(Subject& subject, Work work, size_t k) const {
  const std::vector<double>& v = samples_[k].v;
  const size_t n = v.size();
  std::vector<double> out(result_size(work, *model_));
  subject.result(work, out.data());
  if (rule(work) != AgreementRule::product) return out;
  std::vector<double> product(n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) product[i] += out[i * n + j] * v[j];
  return product;
}

double Expected::tolerance(Work work, size_t k) const {
  const bool solved = rule(work) == AgreementRule::acceleration ||
                      rule(work) == AgreementRule::inverse || work == Work::forward_partials ||
                      work == Work::delassus;
  // The bound of 1e-9 allows for the conversion to another library, which rounds the parameters of
  // the robot again (quaternions, principal axes).
  return std::max(1e-9, solved ? 10 * condition_[k] * std::numeric_limits<double>::epsilon() : 0);
}

Verdict Expected::judge(Subject& subject, Work work) const {
  for (size_t k = 0; k < samples_.size(); ++k) {
    if (!subject.evaluate(work, k)) return {subject.failure()};
    const std::vector<double> value = compared(subject, work, k);
    const std::vector<double>& expected = values_[int(work)][k];
    std::vector<double> error = value;
    for (size_t i = 0; i < error.size(); ++i) error[i] -= expected[i];
    const auto& terms = terms_[int(work)];
    const double size = norm(expected), distance = norm(error),
                 rounding =
                     terms.empty() ? 0 : 16 * std::numeric_limits<double>::epsilon() * terms[k];
    if (distance <= std::max(tolerance(work, k) * size, rounding)) continue;
    // A reference that is zero up to rounding has no norm to which the error can be compared.
    return {size > rounding
                ? fmt::format("differs from the reference by {:.1e} of the norm in state {}",
                              distance / size, k)
                : fmt::format("has the norm {:.1e} in state {}, where the reference is zero",
                              norm(value), k),
            true};
  }
  return {};
}

}  // namespace torsor::bench

#include "torsor/identification/sample_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace torsor {

using Vector = Eigen::VectorXd;

SampleEquations::SampleEquations(const std::shared_ptr<const Model>& model,
                                 const Vec3<double>& gravity_W, const ParameterChoice& choice,
                                 const std::vector<int>& independent,
                                 std::span<const int> unmeasured, std::span<const double> dead_band)
    : model_(*model),
      linear_(model, choice),
      independent_(independent),
      unmeasured_(unmeasured.begin(), unmeasured.end()),
      dead_band_(dead_band.begin(), dead_band.end()),
      states_(model, most_samples),
      vdot_(size_t(model->n_v) * most_samples),
      Y_(vdot_.size() * linear_.parameters().size()),
      lost_(size_t(model->n_v)) {
  static_assert(StateBatch::stride_of(most_samples) == most_samples);
  const Eigen::MatrixXd G = free_rows(*model);
  for (Eigen::Index c = 0; c < G.rows(); ++c)
    for (Eigen::Index j = 0; j < G.cols(); ++j)
      if (G(c, j) != 0) G_.push_back({size_t(c), size_t(j), G(c, j)});
  n_free_ = size_t(G.cols());
  W_.resize(n_free_ * independent.size() * most_samples);
  y_.resize(n_free_ * most_samples);
  loss_.resize(n_free_ * most_samples);
  dead_band_.resize(size_t(model->n_v));
  State world(model);
  world.set_gravity(gravity_W);
  states_.set_world(world);
}

void SampleEquations::evaluate(const MeasuredMotion& motion, size_t first, size_t count) {
  const size_t n_v = size_t(model_.n_v), n_q = size_t(model_.n_q);
  states_.resize(count);
  for (size_t k = 0; k < count; ++k) {
    states_.set_motion(k, std::span(motion.q).subspan((first + k) * n_q, n_q),
                       std::span(motion.v).subspan((first + k) * n_v, n_v));
    for (size_t c = 0; c < n_v; ++c)
      vdot_[c * most_samples + k] = motion.vdot[(first + k) * n_v + c];
  }
  linear_.regressor(states_, vdot_.data(), Y_.data());
  combine_rows(motion, first);
  find_losses(motion, first);
}

// Computes the rows W = G^T Y and the right sides y = G^T tau.
void SampleEquations::combine_rows(const MeasuredMotion& motion, size_t first) {
  const size_t n_v = size_t(model_.n_v), unknowns = independent_.size(), count = states_.size();
  std::ranges::fill(W_, 0.0);
  std::ranges::fill(y_, 0.0);
  for (const auto& [dof, row, factor] : G_) {
    for (size_t i = 0; i < unknowns; ++i) {
      const size_t parameter = size_t(independent_[i]);
      const double* from = &Y_[(dof * linear_.parameters().size() + parameter) * most_samples];
      double* to = &W_[(row * unknowns + i) * most_samples];
      for (size_t k = 0; k < count; ++k) to[k] += factor * from[k];
    }
    for (size_t k = 0; k < count; ++k)
      y_[row * most_samples + k] += factor * motion.tau[(first + k) * n_v + dof];
  }
}

void SampleEquations::find_losses(const MeasuredMotion& motion, size_t first) {
  const size_t n_v = size_t(model_.n_v), n_q = size_t(model_.n_q);
  std::ranges::fill(loss_, Loss::none);
  for (size_t k = 0; k < states_.size(); ++k) {
    const double *q = &motion.q[(first + k) * n_q], *v = &motion.v[(first + k) * n_v];
    std::ranges::fill(lost_, Loss::none);
    for (size_t p = 0; p < linear_.parameters().size(); ++p)
      if (linear_.parameters()[p].kind == DynamicParameter::Kind::coulomb &&
          std::abs(linear_.rate(p, v)) <= linear_.rate_bound(p, dead_band_))
        for (const int column : linear_.columns_of(p)) lost_[size_t(column)] = Loss::at_rest;
    for (const Joint& joint : model_.joints)
      for (int c = joint.v_index; c < joint.v_index + traits(joint.kind).n_v; ++c) {
        if (!model_.drives[size_t(c)].stop) continue;
        const double at = q[size_t(model_.coordinate[size_t(c)])];
        if (at <= joint.lower || at >= joint.upper) lost_[size_t(c)] = Loss::other;
      }
    for (const int column : unmeasured_) lost_[size_t(column)] = Loss::other;
    for (const auto& [dof, row, factor] : G_) {
      Loss& worst = loss_[row * most_samples + k];
      worst = std::max(worst, lost_[dof]);
    }
  }
}

std::span<const double> SampleEquations::W(size_t row, size_t column) const {
  return {&W_[(row * independent_.size() + column) * most_samples], states_.size()};
}

void SampleEquations::get(size_t k, SampleRows& out) const {
  for (size_t j = 0; j < n_free_; ++j) {
    for (size_t i = 0; i < independent_.size(); ++i)
      out.W(Eigen::Index(j), Eigen::Index(i)) = W(j, i)[k];
    out.y(Eigen::Index(j)) = y(j, k);
    out.loss[j] = loss(j, k);
  }
}

bool SampleEquations::is_coulomb(size_t column) const {
  const size_t parameter = size_t(independent_[column]);
  return linear_.parameters()[parameter].kind == DynamicParameter::Kind::coulomb;
}

int SampleEquations::dof(Eigen::Index row) const {
  for (const Term& term : G_)
    if (term.row == size_t(row) && term.factor == 1 &&
        std::none_of(model_.mimics.begin(), model_.mimics.end(),
                     [&](const Mimicry& mimic) { return mimic.dof == int(term.dof); }))
      return int(term.dof);
  return -1;
}

namespace {

// Calls visit(first, count) for the samples of a motion, after the evaluation of each group.
template <class Visit>
void evaluate_all(SampleEquations& at, const MeasuredMotion& motion, size_t samples, Visit visit) {
  constexpr size_t most = SampleEquations::most_samples;
  for (size_t first = 0; first < samples; first += most) {
    const size_t count = std::min(most, samples - first);
    at.evaluate(motion, first, count);
    visit(first, count);
  }
}

SampleRows empty_rows(const SampleEquations& at) {
  return {SampleEquations::Rows(at.n_free(), at.unknowns()), Vector(at.n_free()),
          std::vector<SampleEquations::Loss>(size_t(at.n_free()))};
}

// The equations of one free dof at all samples.
struct DofColumns {
  std::vector<std::vector<double>> columns;  // W, then y
  std::vector<SampleEquations::Loss> losses;
  DofColumns(size_t unknowns, size_t samples)
      : columns(unknowns + 1, std::vector<double>(samples)), losses(samples) {}
};

// Copies the samples [first, first + count), which were evaluated last.
void copy_samples(const SampleEquations& at, size_t row, size_t first, size_t count,
                  DofColumns& to) {
  for (size_t i = 0; i + 1 < to.columns.size(); ++i)
    std::ranges::copy(at.W(row, i), &to.columns[i][first]);
  for (size_t k = 0; k < count; ++k) {
    to.columns.back()[first + k] = at.y(row, k);
    to.losses[first + k] = at.loss(row, k);
  }
}

// Marks the samples at which a joint with Coulomb friction reverses: where its column of W jumps.
void mark_reversals(const std::vector<double>& coulomb,
                    std::vector<SampleEquations::Loss>& losses) {
  for (size_t k = 1; k < coulomb.size(); ++k)
    if (coulomb[k] != coulomb[k - 1])
      losses[k] = std::max(losses[k], SampleEquations::Loss::at_rest);
}

// Filters the equations of one free dof and writes those that are used into `out`.
void decimate_row(const SampleEquations& at, const Decimation& decimation, size_t row,
                  DofColumns& of, std::vector<SampleRows>& out) {
  auto& [columns, losses] = of;
  const size_t samples = losses.size(), interval = decimation.interval();
  for (size_t i = 0; i + 1 < columns.size(); ++i)
    if (at.is_coulomb(i)) mark_reversals(columns[i], losses);
  for (std::vector<double>& column : columns) decimation.filter.apply(column);
  const size_t end = decimation.filter.settling();
  for (size_t used = 0; used < out.size(); ++used) {
    const size_t k = end + used * interval, first = k - std::min(k, interval),
                 last = std::min(k + interval, samples - 1);
    for (size_t i = 0; i + 1 < columns.size(); ++i)
      out[used].W(Eigen::Index(row), Eigen::Index(i)) = columns[i][k];
    out[used].y(Eigen::Index(row)) = columns.back()[k];
    out[used].loss[row] = *std::max_element(losses.begin() + std::ptrdiff_t(first),
                                            losses.begin() + std::ptrdiff_t(last) + 1);
  }
}

// Evaluates all samples once for each group of free dof whose columns fit into the memory.
std::vector<SampleRows> decimate(SampleEquations& at, const Model& model,
                                 const MeasuredMotion& motion, const Decimation& decimation) {
  const size_t samples = motion.v.size() / size_t(model.n_v), end = decimation.filter.settling(),
               unknowns = size_t(at.unknowns()), n_free = size_t(at.n_free());
  if (samples <= 2 * end)
    throw Error(
        fmt::format("{} samples are too few for a cut-off of {:g} Hz: {} at each end are omitted, "
                    "where the filter has not settled; record a longer motion",
                    samples, decimation.filter.cutoff(), end));
  const size_t used = (samples - 2 * end - 1) / decimation.interval() + 1;
  std::vector<SampleRows> out(used, empty_rows(at));
  const size_t bytes = samples * (sizeof(double) * (unknowns + 1) + sizeof(SampleEquations::Loss)),
               group = std::clamp<size_t>(decimation.memory / bytes, 1, n_free);
  for (size_t begin = 0; begin < n_free; begin += group) {
    std::vector<DofColumns> dofs;
    for (size_t row = begin; row < std::min(begin + group, n_free); ++row)
      dofs.emplace_back(unknowns, samples);
    evaluate_all(at, motion, samples, [&](size_t first, size_t count) {
      for (size_t d = 0; d < dofs.size(); ++d) copy_samples(at, begin + d, first, count, dofs[d]);
    });
    for (size_t d = 0; d < dofs.size(); ++d) decimate_row(at, decimation, begin + d, dofs[d], out);
  }
  return out;
}

}  // namespace

EverySample every_sample(SampleEquations& at, const Model& model, const MeasuredMotion& motion,
                         const std::optional<Decimation>& decimation) {
  using Visit = std::function<void(const SampleRows&)>;
  if (decimation)
    return [samples = decimate(at, model, motion, *decimation)](const Visit& visit) {
      for (const SampleRows& sample : samples) visit(sample);
    };
  return [&at, &motion, samples = motion.v.size() / size_t(model.n_v)](const Visit& visit) {
    SampleRows sample = empty_rows(at);
    evaluate_all(at, motion, samples, [&](size_t, size_t count) {
      for (size_t k = 0; k < count; ++k) {
        at.get(k, sample);
        visit(sample);
      }
    });
  };
}

}  // namespace torsor

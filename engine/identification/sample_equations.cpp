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
      state_(model),
      independent_(independent),
      G_(free_rows(*model)),
      lost_(size_t(model->n_v)),
      Y_(model->n_v, Eigen::Index(linear_.parameters().size())),
      W_(G_.cols(), Eigen::Index(independent.size())),
      unmeasured_(unmeasured.begin(), unmeasured.end()),
      dead_band_(dead_band.begin(), dead_band.end()) {
  dead_band_.resize(size_t(model->n_v));
  state_.set_gravity(gravity_W);
}

void SampleEquations::evaluate(std::span<const double> q, std::span<const double> v,
                               const double* vdot) {
  state_.set_q(q);
  state_.v.assign(v.begin(), v.end());
  linear_.regressor(state_, vdot, Y_.data());
  for (Eigen::Index i = 0; i < W_.cols(); ++i)
    W_.col(i) = G_.transpose() * Y_.col(independent_[size_t(i)]);
  std::fill(lost_.begin(), lost_.end(), Loss::none);
  for (size_t p = 0; p < linear_.parameters().size(); ++p)
    if (linear_.parameters()[p].kind == DynamicParameter::Kind::coulomb &&
        std::abs(linear_.rate(p, state_.v.data())) <= linear_.rate_bound(p, dead_band_))
      for (const int column : linear_.columns_of(p)) lost_[size_t(column)] = Loss::at_rest;
  for (const Joint& joint : model_.joints)
    for (int c = joint.v_index; c < joint.v_index + traits(joint.kind).n_v; ++c) {
      if (!model_.drives[size_t(c)].stop) continue;
      const double at = q[size_t(model_.coordinate[size_t(c)])];
      if (at <= joint.lower || at >= joint.upper) lost_[size_t(c)] = Loss::other;
    }
  for (const int column : unmeasured_) lost_[size_t(column)] = Loss::other;
}

Vector SampleEquations::y(const double* tau) const {
  return G_.transpose() * Eigen::Map<const Vector>(tau, model_.n_v);
}

SampleEquations::Loss SampleEquations::loss(Eigen::Index row) const {
  Loss worst = Loss::none;
  for (Eigen::Index c = 0; c < G_.rows(); ++c)
    if (G_(c, row) != 0) worst = std::max(worst, lost_[size_t(c)]);
  return worst;
}

bool SampleEquations::is_coulomb(Eigen::Index column) const {
  const size_t parameter = size_t(independent_[size_t(column)]);
  return linear_.parameters()[parameter].kind == DynamicParameter::Kind::coulomb;
}

int SampleEquations::dof(Eigen::Index row) const {
  for (int c = 0; c < model_.n_v; ++c)
    if (G_(c, row) == 1 && std::none_of(model_.mimics.begin(), model_.mimics.end(),
                                        [&](const Mimicry& mimic) { return mimic.dof == c; }))
      return c;
  return -1;
}

namespace {

void evaluate_sample(SampleEquations& at, const Model& model, const MeasuredMotion& motion,
                     size_t k) {
  const size_t n_v = size_t(model.n_v), n_q = size_t(model.n_q);
  at.evaluate(std::span(motion.q).subspan(k * n_q, n_q), std::span(motion.v).subspan(k * n_v, n_v),
              motion.vdot.data() + k * n_v);
}

// Marks the samples at which a joint with Coulomb friction reverses: where its column of W jumps.
void mark_reversals(const std::vector<double>& coulomb,
                    std::vector<SampleEquations::Loss>& losses) {
  for (size_t k = 1; k < coulomb.size(); ++k)
    if (coulomb[k] != coulomb[k - 1])
      losses[k] = std::max(losses[k], SampleEquations::Loss::at_rest);
}

// Filters the equations of one free dof and writes those that are used into `out`. One dof at a
// time limits the memory.
void decimate_row(SampleEquations& at, const Model& model, const MeasuredMotion& motion,
                  const Decimation& decimation, Eigen::Index row, std::vector<SampleRows>& out) {
  const size_t samples = motion.v.size() / size_t(model.n_v), interval = decimation.interval();
  std::vector<std::vector<double>> columns(size_t(at.W().cols()) + 1, std::vector<double>(samples));
  std::vector<SampleEquations::Loss> losses(samples);
  for (size_t k = 0; k < samples; ++k) {
    evaluate_sample(at, model, motion, k);
    for (Eigen::Index i = 0; i < at.W().cols(); ++i) columns[size_t(i)][k] = at.W()(row, i);
    columns.back()[k] = at.y(motion.tau.data() + k * size_t(model.n_v))(row);
    losses[k] = at.loss(row);
  }
  for (Eigen::Index i = 0; i < at.W().cols(); ++i)
    if (at.is_coulomb(i)) mark_reversals(columns[size_t(i)], losses);
  for (std::vector<double>& column : columns) decimation.filter.apply(column);
  const size_t end = decimation.filter.settling();
  for (size_t used = 0; used < out.size(); ++used) {
    const size_t k = end + used * interval, first = k - std::min(k, interval),
                 last = std::min(k + interval, samples - 1);
    for (Eigen::Index i = 0; i < at.W().cols(); ++i) out[used].W(row, i) = columns[size_t(i)][k];
    out[used].y(row) = columns.back()[k];
    out[used].loss[size_t(row)] = *std::max_element(losses.begin() + std::ptrdiff_t(first),
                                                    losses.begin() + std::ptrdiff_t(last) + 1);
  }
}

std::vector<SampleRows> decimate(SampleEquations& at, const Model& model,
                                 const MeasuredMotion& motion, const Decimation& decimation) {
  const size_t samples = motion.v.size() / size_t(model.n_v), end = decimation.filter.settling();
  if (samples <= 2 * end)
    throw Error(
        fmt::format("{} samples are too few for a cut-off of {:g} Hz: {} at each end are omitted, "
                    "where the filter has not settled; record a longer motion",
                    samples, decimation.filter.cutoff(), end));
  const size_t used = (samples - 2 * end - 1) / decimation.interval() + 1;
  const SampleRows empty{SampleEquations::Rows(at.n_free(), at.W().cols()), Vector(at.n_free()),
                         std::vector<SampleEquations::Loss>(size_t(at.n_free()))};
  std::vector<SampleRows> out(used, empty);
  for (Eigen::Index row = 0; row < at.n_free(); ++row)
    decimate_row(at, model, motion, decimation, row, out);
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
  return [&at, &model, &motion](const Visit& visit) {
    SampleRows sample{{}, {}, std::vector<SampleEquations::Loss>(size_t(at.n_free()))};
    for (size_t k = 0; k < motion.v.size() / size_t(model.n_v); ++k) {
      evaluate_sample(at, model, motion, k);
      sample.W = at.W();
      sample.y = at.y(motion.tau.data() + k * size_t(model.n_v));
      for (size_t j = 0; j < sample.loss.size(); ++j) sample.loss[j] = at.loss(Eigen::Index(j));
      visit(sample);
    }
  };
}

}  // namespace torsor

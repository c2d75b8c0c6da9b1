#include "bench/batch_subject.hpp"

#include <algorithm>

#include "torsor/batch/batch_regressor.hpp"
#include "torsor/batch/batch_solver.hpp"
#include "torsor/mechanics/regressor.hpp"
#include "torsor/plugin/lent_array.hpp"

namespace torsor::bench {

namespace {

class BatchSubject : public Subject {
 public:
  BatchSubject(Solver solver, std::shared_ptr<const Model> model, std::span<const Sample> samples)
      : solver_(std::move(solver)), batch_(model, samples.size()), batch_solver_(solver_) {
    const size_t n = size_t(model->n_v), stride = batch_.stride();
    vdot_.resize(3 * n * stride);
    tau_.resize(n * stride);
    out_ = LentArray<double>(3 * n * n * stride);
    State state(model);
    for (size_t k = 0; k < samples.size(); ++k) {
      const Sample& s = samples[k];
      state.set_q(s.q);
      std::ranges::copy(s.v, state.v.begin());
      batch_.set(k, state);
      const std::vector<double>* const motion[] = {&s.vdot, &s.tau, &s.v};  // as SolverSubject
      for (size_t i = 0; i < n; ++i) {
        tau_[i * stride + k] = s.tau[i];
        for (size_t r = 0; r < 3; ++r) vdot_[(r * n + i) * stride + k] = (*motion[r])[i];
      }
    }
  }

  size_t lanes() const { return batch_solver_.lanes(); }

  std::string lacks(Work work) const override {
    if (is_of_engine(work)) return "it is the engine's, not a solver's";
    const bool in_lanes =
        work == Work::inverse_partials   ? batch_solver_.has_inverse_partials_in_lanes()
        : work == Work::forward_partials ? batch_solver_.has_forward_partials_in_lanes()
        : work == Work::rates            ? batch_solver_.has_rates_in_lanes()
                                         : batch_solver_.is_in_lanes(Quantity(work));
    return in_lanes ? "" : "it computes it state by state";
  }

  bool evaluate(Work work, size_t k) override {
    k_ = k;
    const size_t block = solver_.model().n_v * size_t(solver_.model().n_v) * batch_.stride();
    double *first = out_.data(), *second = first + block, *third = second + block;
    if (work == Work::inverse_partials)
      status_ = batch_solver_.inverse_partials(batch_, vdot_.data(), {first, second});
    else if (work == Work::forward_partials)
      status_ = batch_solver_.forward_partials(batch_, tau_.data(), {first, second, third});
    else if (work == Work::rates)
      status_ = batch_solver_.rates(batch_, 2, vdot_.data(), first);
    else
      status_ = batch_solver_.evaluate(Quantity(work), batch_,
                                       work == Work::forward ? tau_.data() : vdot_.data(), first);
    return bool(status_);
  }

  std::string failure() const override { return solver_.explain(status_.status); }

  void result(Work work, double* out) override {
    const size_t size = result_size(work, solver_.model());
    for (size_t i = 0; i < size; ++i) out[i] = out_[i * batch_.stride() + k_];
  }

 private:
  Solver solver_;
  StateBatch batch_;
  BatchSolver batch_solver_;
  std::vector<double> vdot_, tau_;  // [rows][stride]; vdot_ is followed by its derivatives
  LentArray<double> out_;           // [rows][stride]; aligned
  BatchStatus status_;
  size_t k_ = 0;  // the state of result()
};

class RegressorSubject : public Subject {
 public:
  RegressorSubject(const std::shared_ptr<const Model>& model, std::span<const Sample> samples)
      : columns_(n_inertial * size_t(model->n_body)),
        batch_(model, samples.size()),
        regressor_(model, body_frames(*model), columns_),
        vdot_(size_t(model->n_v) * batch_.stride()),
        Y_(vdot_.size() * columns_) {
    for (size_t k = 0; k < samples.size(); ++k) {
      batch_.set_motion(k, samples[k].q, samples[k].v);
      for (size_t i = 0; i < samples[k].vdot.size(); ++i)
        vdot_[i * batch_.stride() + k] = samples[k].vdot[i];
    }
  }

  std::string lacks(Work work) const override {
    return work == Work::torque_regressor ? "" : "it computes it state by state";
  }
  bool evaluate(Work, size_t k) override {
    k_ = k;
    regressor_.evaluate(batch_, vdot_.data(), Y_.data());
    return true;
  }
  void result(Work, double* out) override {
    for (size_t i = 0; i < size_t(batch_.model().n_v); ++i)
      for (size_t p = n_inertial; p < columns_; ++p)
        *out++ = Y_[(i * columns_ + p) * batch_.stride() + k_];
  }

 private:
  size_t columns_;
  StateBatch batch_;
  BatchRegressor regressor_;
  LentArray<double> vdot_, Y_;  // [n_v][stride], [n_v][columns][stride]; aligned
  size_t k_ = 0;                // the state of result()
};

}  // namespace

std::unique_ptr<Subject> regressor_subject(std::shared_ptr<const Model> model,
                                           std::span<const Sample> samples) {
  return std::make_unique<RegressorSubject>(model, samples);
}

std::unique_ptr<Subject> batch_subject(Solver solver, std::shared_ptr<const Model> model,
                                       std::span<const Sample> samples) {
  auto out = std::make_unique<BatchSubject>(std::move(solver), std::move(model), samples);
  if (out->lanes() == 1) return nullptr;
  return out;
}

}  // namespace torsor::bench

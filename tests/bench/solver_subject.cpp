#include "bench/solver_subject.hpp"

#include <algorithm>

namespace torsor::bench {

namespace {

class SolverSubject : public Subject {
 public:
  SolverSubject(Solver solver, std::shared_ptr<const Model> model, std::span<const Sample> samples,
                Form form)
      : solver_(std::move(solver)), samples_(samples), form_(form) {
    states_.assign(form == Form::solver_only ? samples.size() : 1, State(model));
    for (size_t k = 0; k < states_.size(); ++k) place(states_[k], samples[k]);
    const size_t n = size_t(model->n_v);
    out_.resize(3 * n * n);
    for (const Sample& sample : samples)  // vddot and vdddot may be any values
      motions_.push_back(joined(sample.vdot, sample.tau, sample.v));
  }

  std::string lacks(Work work) const override {
    if (is_of_engine(work)) return "it is the engine's, not a solver's";
    const bool partials = work == Work::inverse_partials || work == Work::forward_partials;
    if (partials && !solver_.has_partials()) return "it has no partial derivatives";
    return work == Work::rates && solver_.max_rate_order() < 2 ? "it has no rates of torques" : "";
  }

  bool evaluate(Work work, size_t k) override {
    State& state = form_ == Form::solver_only ? states_[k] : states_[0];
    const Sample& sample = samples_[k];
    if (form_ == Form::total) place(state, sample);
    const std::vector<double>& given =
        is_quantity(work) ? given_of(Quantity(work), sample.vdot, sample.tau) : sample.vdot;
    double *first = out_.data(), *second = first + given.size() * given.size(),
           *third = second + given.size() * given.size();
    if (work == Work::inverse_partials)
      status_ = solver_.inverse_partials(state, given.data(), {first, second});
    else if (work == Work::forward_partials)
      status_ = solver_.forward_partials(state, sample.tau.data(), {first, second, third});
    else if (work == Work::rates)
      status_ = solver_.rates(state, {2, motions_[k].data()}, first);
    else
      status_ = solver_.evaluate(Quantity(work), state, given.data(), first);
    return bool(status_);
  }

  std::string failure() const override { return solver_.explain(status_); }

  void result(Work work, double* out) override {
    std::copy_n(out_.data(), result_size(work, solver_.model()), out);
  }

 private:
  static std::vector<double> joined(std::vector<double> a, const std::vector<double>& b,
                                    const std::vector<double>& c) {
    a.insert(a.end(), b.begin(), b.end());
    a.insert(a.end(), c.begin(), c.end());
    return a;
  }
  static void place(State& state, const Sample& sample) {
    state.set_q(sample.q);
    std::copy(sample.v.begin(), sample.v.end(), state.v.begin());
  }

  Solver solver_;
  std::span<const Sample> samples_;
  Form form_;
  std::vector<State> states_;  // one for each sample with Form::solver_only, else one
  std::vector<double> out_;
  std::vector<std::vector<double>> motions_;  // [3][n_v] vdot, vddot, vdddot for each sample
  Status status_;
};

}  // namespace

std::unique_ptr<Subject> solver_subject(Solver solver, std::shared_ptr<const Model> model,
                                        std::span<const Sample> samples, Form form) {
  return std::make_unique<SolverSubject>(std::move(solver), std::move(model), samples, form);
}

}  // namespace torsor::bench

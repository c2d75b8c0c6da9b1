#include "torsor/run/run_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/run/experiment.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

std::vector<std::string> names_of(const std::vector<std::string>& ids) {
  std::vector<std::string> names;
  for (const std::string& id : ids) names.emplace_back(without_kind(id));
  return names;
}

Comparison prepare(const Experiment& experiment, const std::shared_ptr<const Model>& model) {
  std::vector<Solver> solvers;
  solvers.push_back(experiment.make_solver(experiment.solver, model));
  for (const std::string& id : experiment.compare) try {
      solvers.push_back(experiment.make_solver(id, model));
    } catch (const Error& error) {
      throw Error(fmt::format("compare: {}", error.what()));
    }
  return Comparison(std::move(solvers));
}

}  // namespace

void check_compared(const Experiment& experiment) {
  std::vector<std::string> seen;
  for (const std::string& name : names_of(experiment.compare)) {
    if (name == without_kind(experiment.solver))
      throw Error(
          fmt::format("compare names '{}', which is the solver of the experiment: remove it, or "
                      "choose another solver",
                      name));
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw Error(fmt::format("compare names '{}' twice; name it once", name));
    seen.push_back(name);
  }
}

RunComparison::RunComparison(const Experiment& experiment)
    : names_(names_of(experiment.compare)),
      now_(names_.size() * n_compared),
      worst_(names_.size() * n_compared) {
  check_compared(experiment);
  for (const auto& model :
       laden_models(experiment.model, round_to_steps(experiment.payloads, experiment.dt)))
    comparisons_.push_back(prepare(experiment, model));
}

std::span<const Disagreement> RunComparison::at(Simulation& simulation) {
  const auto tau = simulation.joint_torque();
  Comparison& comparison = comparisons_[simulation.present_model()];
  comparison.ask(simulation.state(), simulation.acceleration(), tau);
  ++rows_;
  for (size_t k = 0; k < now_.size(); ++k) {
    const int other = 1 + int(k / n_compared);
    const Compared quantity = all_compared[k % n_compared];
    now_[k] = comparison.between(0, other, quantity);
    Worst& worst = worst_[k];
    if (rows_ > 1 && !(now_[k].fraction() > worst.disagreement.fraction())) continue;
    worst = {now_[k], simulation.time(), ""};
    if (now_[k].broken())
      for (const int solver : {0, other})
        if (worst.failure.empty()) worst.failure = comparison.failure(solver, quantity);
  }
  return now_;
}

const RunComparison::Worst& RunComparison::worst(int solver, Compared quantity) const {
  return worst_[size_t(solver) * n_compared + size_t(quantity)];
}

}  // namespace torsor

#include "editor/probe/contacts/contact_step.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace torsor::editor {

namespace {

// Sets the errors of the laws of contact, and the modes of the points.
void check_contact_laws(ContactStep& step) {
  const ConstraintProblem problem = step.problem.problem();
  const torsor_constraint_problem view = problem.view();
  const double* lambda = step.problem.lambda.data();
  step.laws = contact_law_errors(problem, lambda);
  // Smaller rates and multipliers, with rows scaled to G_ii = 1, may be errors of the solver.
  const double smallest = 10 * std::max(step.laws.residual, 1e-12) * step.laws.size;
  for (size_t k = 0; k < step.points.size(); ++k) {
    const ContactRow& row = step.problem.points[k];
    ContactStepPoint& point = step.points[k];
    const double impulse = lambda[row.row];
    const auto scale = [&](int i) { return std::sqrt(sdk::entry(view, i, i)); };
    if (!(impulse * scale(row.row) > smallest))
      point.mode = ContactMode::separate;
    else if (row.sliding < 0)
      point.mode = ContactMode::frictionless;
    else
      point.mode = point.slip > smallest * std::max(scale(row.sliding), scale(row.sliding + 1))
                       ? ContactMode::slide
                       : ContactMode::stick;
  }
}

// Sticking points have exactly no slip. All points touch.
void find_located_modes(ContactStep& step) {
  for (ContactStepPoint& point : step.points)
    point.mode = point.force.mu == 0 ? ContactMode::frictionless
                 : point.slip > 0    ? ContactMode::slide
                                     : ContactMode::stick;
}

// Solves the problem as the step does, and measures the time.
void solve_contacts_again(ContactStep& step, MultiplierSolver& solver) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> lambda(step.problem.size());
  const auto start = Clock::now();
  const Status status = solver.solve_contacts(step.problem.problem(), lambda);
  step.ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  step.iterations = solver.iterations();
  if (!status && solver.has_plugin()) throw Error(solver.explain(status));
}

}  // namespace

const char* name(ContactMode mode) {
  constexpr const char* names[] = {"separate", "stick", "slide", "no friction"};
  return names[size_t(mode)];
}

ContactStep contact_step(Simulation& simulation, MultiplierSolver& solver) {
  ContactStep out;
  out.time = simulation.time();
  out.possible = simulation.has_contacts();
  try {
    for (const ContactForce& force : simulation.contact_forces(&out.problem)) {
      const double normal = dot(force.f_W, force.n_W);
      out.points.push_back({.force = force,
                            .mode = ContactMode::separate,
                            .normal = normal,
                            .friction = norm(force.f_W - normal * force.n_W),
                            .limit = force.mu * normal,
                            .slip = norm(force.slip_W)});
    }
    if (out.is_located()) {
      find_located_modes(out);
    } else if (!out.points.empty()) {
      check_contact_laws(out);
      solve_contacts_again(out, solver);
    }
  } catch (const Error& error) {
    out.failure = error.what();
  }
  return out;
}

}  // namespace torsor::editor

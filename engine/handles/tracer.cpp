#include "torsor/handles/tracer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/mechanics/singular.hpp"
#include "torsor/plugin/plugin_table.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor {

namespace {

torsor_solver_trace trace_of(const Plugin& plugin) {
  const auto table = table_or_zeros<torsor_solver_trace>(plugin, TORSOR_SOLVER_TRACE);
  if (table.struct_size == 0)
    throw Error(fmt::format("solver '{}' has no trace: it does not implement {}",
                            plugin.descriptor().id, TORSOR_SOLVER_TRACE));
  if (const std::string flaw = trace_flaw(table); !flaw.empty())
    throw Error(
        fmt::format("solver '{}': its {} {}", plugin.descriptor().id, TORSOR_SOLVER_TRACE, flaw));
  return table;
}

// Returns the index of the link that the joint of each body moves, [n_body]. The entry of the world
// is -1. Links that are connected by fixed joints are one body. The first of them represents it.
std::vector<int> child_links(const Model& model) {
  std::vector<int> out(size_t(model.n_body), -1);
  for (size_t l = model.links.size(); l-- > 0;)
    out[size_t(model.frames[size_t(model.links[l].frame)].body)] = int(l);
  out[0] = -1;
  return out;
}

}  // namespace

Tracer::Tracer(std::unique_ptr<Plugin> plugin, std::shared_ptr<const Model> model, Frames frames)
    : plugin_(std::move(plugin)),
      model_(std::move(model)),
      min_pivots_(*model_),
      link_(child_links(*model_)),
      v_(size_t(model_->n_v)),
      given_(v_),
      column_names_(model_->dof_names()),
      view_(model_->view()),
      api_(trace_of(*plugin_)),
      table_(api_, view_),
      values_(table_.size) {
  take_frames(frames);
  work_ = WorkArea(prepare(*plugin_, view_).work_doubles);
  for (size_t p = 0; p < table_.passes.size(); ++p) {
    const TracedPass& pass = table_.passes[p];
    for (int k = 1; k < model_->n_body; ++k)
      for (int quantity = pass.first; quantity < pass.first + pass.count; ++quantity)
        steps_.push_back({pass.inward ? model_->n_body - k : k, quantity});
  }
}

// Describes the mechanism to the plugin with link frames L instead of body frames B. A solver knows
// frames only through screws, poses and inertias, and its equations are valid in any body-fixed
// frames. The traced values are then in frames that the user knows, and they satisfy the displayed
// equations.
void Tracer::take_frames(Frames frames) {
  const size_t n = size_t(model_->n_body);
  X_BL_.assign(n, Pose<double>::identity());
  if (frames == Frames::of_links)
    for (size_t i = 1; i < n; ++i)
      X_BL_[i] = model_->frames[size_t(model_->links[size_t(link_[i])].frame)].X_BF;
  inertia_L_ = model_->inertia_B;
  S_L_ = model_->S_B;
  X_PL0_ = model_->X_PB0;
  X_PL_ = X_PL0_;
  F_L_.resize(n);
  for (size_t i = 1; i < n; ++i) {
    inertia_L_[i] = transform(inverse(X_BL_[i]), model_->inertia_B[i]);
    X_PL0_[i] = inverse(X_BL_[size_t(model_->parent[i])]) * model_->X_PB0[i] * X_BL_[i];
    for (int k = model_->v_index[i]; k < model_->v_index[i] + model_->v_count[i]; ++k)
      S_L_[size_t(k)] = inverse_transform(X_BL_[i], model_->S_B[size_t(k)]);
  }
  view_.S_B = reinterpret_cast<const double*>(S_L_.data());
  view_.inertia_B = reinterpret_cast<const double*>(inertia_L_.data());
  view_.X_PB0 = reinterpret_cast<const double*>(X_PL0_.data());
}

Status Tracer::trace(const State& state, std::span<const double> given) {
  for (size_t i = 1; i < X_PL_.size(); ++i) {
    X_PL_[i] = inverse(X_BL_[size_t(model_->parent[i])]) * state.X_PB()[i] * X_BL_[i];
    F_L_[i] = inverse_transform(X_BL_[i], state.F_B()[i]);
  }
  std::copy_n(state.v.data(), v_.size(), v_.data());
  std::copy_n(given.data(), given_.size(), given_.data());
  std::fill(values_.begin(), values_.end(), 0.0);
  torsor_state s = state.view();
  s.X_PB = reinterpret_cast<const double*>(X_PL_.data());
  if (s.F_B) s.F_B = &F_L_[0].n.x;
  if (of_forward()) s.min_pivot = min_pivots_.at(state).data();
  const torsor_status status = plugin_->ask("trace", api_.trace, plugin_->get(), &view_, &s,
                                            given_.data(), work_.data(), values_.data());
  if (const torsor_status guards = check_guards(values_, work_); guards != TORSOR_OK)
    return {guards};
  if (status != TORSOR_OK) return {status};
  return {all_finite(values_.data(), values_.size()) ? TORSOR_OK
                                                     : TORSOR_STATUS(Status::not_finite, 0)};
}

std::string Tracer::explain(Status status) const {
  const int code = TORSOR_STATUS_CODE(status.value), who = TORSOR_STATUS_BODY(status.value);
  const bool blamed = who > 0 && who < model_->n_body;
  const std::string where =
      blamed     ? fmt::format(" at joint '{}'", model_->joint_of_body(who))
      : who == 0 ? ""
                 : fmt::format(" at body {}, which is wrong: the model has bodies 1 to {}", who,
                               model_->n_body - 1);
  if (code == TORSOR_SINGULAR) return explain_singular(*model_, who);
  if (code == Status::altered)
    return fmt::format("solver '{}': trace {}", id(), host_state_text(status.value));
  if (code == Status::overrun) {
    constexpr const char* lent[] = {"out", "work"};
    return fmt::format("solver '{}': trace {}", id(), overrun_text(status.value, lent));
  }
  if (code == Status::not_finite)
    return fmt::format("solver '{}': its trace has a value that is not finite", id());
  return fmt::format("solver '{}' failed in trace{}: {}", id(), where,
                     failure_text(status.value, plugin_->report()));
}

std::span<const double> Tracer::at(int quantity, int row) const {
  const TracedQuantity& of = table_.quantities[size_t(quantity)];
  const size_t count = sdk::trace_numbers(of.kind, model_->n_v);
  return std::span(values_).subspan(of.offset + size_t(row) * count, count);
}

std::span<const double> Tracer::result() const {
  const int kind = of_forward() ? TORSOR_TRACE_JOINT_ACCELERATION : TORSOR_TRACE_JOINT_FORCE;
  const auto last = std::find_if(table_.quantities.rbegin(), table_.quantities.rend(),
                                 [&](const TracedQuantity& q) { return q.kind == kind; });
  return std::span(values_).subspan(last->offset, v_.size());
}

}  // namespace torsor

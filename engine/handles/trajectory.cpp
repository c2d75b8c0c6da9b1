#include "torsor/handles/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "torsor/plugin/plugin_table.hpp"
#include "torsor/spatial/taylor.hpp"

namespace torsor {

std::vector<double> chart_base(const Model& model, std::span<const double> q) {
  std::vector<double> base(q.size(), 0.0);
  for (const auto& [i, kind] : model.mapped) {
    const auto is_rate = [](const JointDof& column) { return column.coordinate >= 0; };
    if (std::all_of(kind->dofs.begin(), kind->dofs.end(), is_rate)) continue;
    const auto from = q.begin() + model.q_index[i];
    std::copy(from, from + kind->n_q, base.begin() + model.q_index[i]);
  }
  return base;
}

// A joint with one dof has v = y_dot. For other joints, D = sum_k S_k y_k and V = dexp_(-D) D_dot.
// The screws S_k are unit axes of a Lie subalgebra, so v_k is the component of V along S_k.
void chart_motion(const Model& model, int order, double* y) {
  const int n = model.n_v;
  constexpr double factorial[] = {1, 1, 2, 6};
  for (const auto& [i, kind] : model.mapped) {
    const int first = model.v_index[i];
    Twist<Taylor> D{}, D_dot{};
    for (int k = 0; k < kind->n_v; ++k) {
      Taylor value, rate;
      for (int j = 0; j < Taylor::size && j <= order; ++j)
        value.c[j] = y[j * n + first + k] / factorial[j];
      for (int j = 0; j < order; ++j) rate.c[j] = y[(j + 1) * n + first + k] / factorial[j];
      const Twist<double>& S = kind->dofs[size_t(k)].S;
      const auto along = [](const Taylor& x, const Vec3<double>& a) {
        return Vec3<Taylor>{a.x * x, a.y * x, a.z * x};
      };
      D = D + Twist<Taylor>{along(value, S.w), along(value, S.v)};
      D_dot = D_dot + Twist<Taylor>{along(rate, S.w), along(rate, S.v)};
    }
    const Twist<Taylor> V = dexp(D, D_dot);
    for (int k = 0; k < kind->n_v; ++k)
      for (int j = 0; j < order; ++j) {
        const auto at = [j](const Vec3<Taylor>& u) {
          return Vec3<double>{u.x.c[j], u.y.c[j], u.z.c[j]};
        };
        const Twist<double>& S = kind->dofs[size_t(k)].S;
        y[(j + 1) * n + first + k] = factorial[j] * (dot(S.w, at(V.w)) + dot(S.v, at(V.v)));
      }
  }
}

Trajectory::Trajectory(ConfiguredPlugin configured, std::shared_ptr<const Model> model)
    : plugin_(std::move(configured.plugin)),
      model_(std::move(model)),
      base_(std::move(configured.base)),
      settings_(std::move(configured.settings)),
      view_(model_->view()),
      sizes_(prepare(*plugin_, view_)) {
  api_ = table_of<torsor_trajectory>(*plugin_, TORSOR_TRAJECTORY);
  describe();
  // Allocates the memory once, so that a lack of memory is reported here and not in the first call.
  (void)WorkArea(sizes_.work_doubles);
}

void Trajectory::describe() {
  torsor_motion motion{};
  motion.struct_size = sizeof motion;
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("trajectory '{}' {}", id(), what));
  };
  const torsor_status status = plugin_->ask("describe", api_.describe, plugin_->get(), &motion);
  if (status != TORSOR_OK)
    fail(fmt::format("failed in describe: {}", failure_text(status, plugin_->report())));
  if (motion.kind != TORSOR_MOTION_OF_JOINTS && motion.kind != TORSOR_MOTION_OF_FRAME)
    fail(fmt::format("describes a motion of the unknown kind {}", motion.kind));
  if (!(motion.duration >= 0))
    fail(fmt::format("has the impossible duration {} s", motion.duration));
  if (motion.smoothness < 0)
    fail(fmt::format("has the impossible smoothness {}", motion.smoothness));
  if (motion.order < 0 || motion.order > TORSOR_MAX_ORDER)
    fail(fmt::format("offers derivatives up to {}; the maximum is {}", motion.order,
                     int(TORSOR_MAX_ORDER)));
  if (motion.n_break > 0 && !motion.breaks) fail("has a number of breaks but no list of them");
  double before = 0;
  for (uint32_t k = 0; k < motion.n_break; ++k) {
    const double at = motion.breaks[k];
    if (!(at >= before && at <= motion.duration && std::isfinite(at)))
      fail(fmt::format("has break {} at {} s; breaks must ascend from 0 to the duration", k + 1,
                       at));
    before = at;
  }
  kind_ = motion.kind;
  duration_ = motion.duration;
  smoothness_ = motion.smoothness;
  order_ = motion.order;
  breaks_.assign(motion.breaks, motion.breaks + motion.n_break);
}

uint64_t Trajectory::fingerprint() const {
  return torsor::fingerprint(descriptor(), *model_, settings_);
}

Reference Trajectory::make_reference(int order) const {
  Reference out;
  out.order = std::clamp(order, 0, order_);
  out.work = WorkArea(sizes_.work_doubles);
  out.y =
      LentArray<double>(size_t(of_frame() ? 12 + 6 * out.order : (out.order + 1) * model_->n_v));
  if (of_frame()) return out;
  out.q.resize(size_t(model_->n_q));
  int k = 0;
  for (std::vector<double>* rate : {&out.v, &out.vdot, &out.vddot, &out.vdddot})
    rate->resize(k++ < out.order ? size_t(model_->n_v) : 0);
  return out;
}

torsor_status Trajectory::call(double t, Reference& out) const {
#ifndef NDEBUG
  std::ranges::fill(out.work, std::numeric_limits<double>::signaling_NaN());
#endif
  const torsor_status status = coordinates(t, out.order, out.work.data(), out.y.data());
  const torsor_status guards = check_guards(out.y, out.work);
  return guards == TORSOR_OK ? status : guards;
}

Status Trajectory::evaluate(double t, Reference& out) const {
  const torsor_status status = call(std::clamp(t, 0.0, duration_), out);
#ifndef NDEBUG
  // Repeats the call. The results differ if the plugin reads its work area or keeps hidden state.
  Reference again = make_reference(out.order);
  if (call(std::clamp(t, 0.0, duration_), again) != status ||
      (!out.y.empty() &&
       std::memcmp(again.y.data(), out.y.data(), out.y.size() * sizeof out.y[0]) != 0))
    throw std::logic_error(fmt::format(
        "trajectory '{}' returned two different results for the same call: it has hidden state",
        id()));
#endif
  if (status != TORSOR_OK) return {status};
  for (size_t k = 0; k < out.y.size(); ++k)
    if (!std::isfinite(out.y[k])) return {TORSOR_STATUS(Status::not_finite, int(k))};
  const bool stands = t < 0 || t > duration_;
  if (of_frame()) {
    std::memcpy(&out.X_WF, out.y.data(), sizeof out.X_WF);
    if (out.order > 0)
      std::memcpy(out.V.data(), out.y.data() + 12, size_t(out.order) * sizeof out.V[0]);
    if (stands) out.V.fill({});
    return {};
  }
  integrate(*model_, base_.data(), out.y.data(), 1, out.q.data());
  if (stands)
    std::fill(out.y.begin() + model_->n_v, out.y.end(), 0.0);
  else
    chart_motion(*model_, out.order, out.y.data());
  const double* rates = out.y.data();
  for (std::vector<double>* rate : {&out.v, &out.vdot, &out.vddot, &out.vdddot})
    if (!rate->empty()) std::copy_n(rates += model_->n_v, model_->n_v, rate->begin());
  return {};
}

std::string Trajectory::explain(Status status) const {
  const int code = TORSOR_STATUS_CODE(status.value);
  if (code == Status::overrun) {
    constexpr const char* lent[] = {"out", "work"};
    return fmt::format("trajectory '{}': evaluate {}", id(), overrun_text(status.value, lent));
  }
  if (code != Status::not_finite)
    return fmt::format("trajectory '{}' failed in evaluate: {}", id(),
                       failure_text(status.value, plugin_->report()));
  const int k = TORSOR_STATUS_BODY(status.value);
  std::string what;
  if (of_frame())
    what = k < 12 ? "pose"
                  : fmt::format("velocity's derivative {} in entry {}", (k - 12) / 6,
                                (k - 12) % 6 + 1);
  else
    what = fmt::format("derivative {} of the coordinate of joint '{}'", k / model_->n_v,
                       model_->joint_of_dof(k % model_->n_v).name);
  return fmt::format("trajectory '{}': evaluate returns a {} that is not a finite number", id(),
                     what);
}

}  // namespace torsor

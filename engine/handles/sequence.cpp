#include "torsor/handles/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/model/model.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

constexpr double rest = std::numeric_limits<double>::infinity();  // a time after every motion

// Returns derivative k of a motion. k = 0 is not a list of numbers that can be subtracted.
std::vector<double> derivative(bool of_frame, const Reference& at, int k) {
  if (of_frame) {
    const Twist<double>& V = at.V[size_t(k) - 1];
    return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  }
  const std::vector<double>* rates[] = {&at.v, &at.vdot, &at.vddot, &at.vdddot};
  return *rates[k - 1];
}

// Returns the change from a to b of derivative k. For k = 0 it is the rotation and the displacement
// of a frame, or the logarithm of the joints.
std::vector<double> jump(const DesiredMotion& motion, const Reference& a, const Reference& b,
                         int k) {
  if (k == 0 && motion.of_frame()) {
    const Vec3<double> u = log_so3(b.X_WF.R * transpose(a.X_WF.R)), d = b.X_WF.p - a.X_WF.p;
    return {u.x, u.y, u.z, d.x, d.y, d.z};
  }
  std::vector<double> out(size_t(motion.model().n_v));
  if (k == 0) {
    difference(motion.model(), a.q.data(), b.q.data(), out.data());
    return out;
  }
  out = derivative(motion.of_frame(), b, k);
  const std::vector<double> from = derivative(motion.of_frame(), a, k);
  for (size_t i = 0; i < out.size(); ++i) out[i] -= from[i];
  return out;
}

double size(const std::vector<double>& x) {
  double out = 0;
  for (const double each : x) out = std::max(out, std::abs(each));
  return out;
}

// Returns the name of the entry that jumps most, and the unit of its derivative k.
std::string largest(const DesiredMotion& motion, const std::vector<double>& x, int k) {
  const auto most = std::max_element(x.begin(), x.end(),
                                     [](double a, double b) { return std::abs(a) < std::abs(b); });
  const size_t i = size_t(most - x.begin());
  constexpr const char* per[] = {"", "/s", "/s^2", "/s^3", "/s^4"};
  const bool turns = motion.of_frame() ? i < 3 : motion.model().dof(int(i)).turns();
  constexpr const char* axes[] = {
      "rotation about x", "rotation about y", "rotation about z", "x", "y", "z"};
  const std::string name = motion.of_frame() ? axes[i] : motion.model().dof_names()[i];
  return fmt::format("{:.6g} {}{} ({})", *most, turns ? "rad" : "m", per[k], name);
}

bool has_inner_breaks(const DesiredMotion& motion) {
  const std::vector<double>& breaks = motion.breaks();
  return std::any_of(breaks.begin(), breaks.end(),
                     [&](double t) { return t > 0 && t < motion.duration(); });
}

}  // namespace

Sequence::Sequence(const std::vector<Entry>& entries, int continuous) {
  for (size_t k = 0; k < entries.size(); ++k) add(entries[k], k + 1);
  if (parts_.empty()) fail("has no motion; give at least one trajectory");
  kind_ = parts_.front().motion->of_frame() ? TORSOR_MOTION_OF_FRAME : TORSOR_MOTION_OF_JOINTS;
  order_ = TORSOR_MAX_ORDER;
  for (const Part& part : parts_) {
    require_equal_kind(part);
    order_ = std::min(order_, part.motion->order());
  }
  if (continuous > order_)
    fail(fmt::format("has derivatives up to {}, so {} cannot be continuous", order_, continuous));
  find_smoothness(continuous);
  for (const Part& part : parts_) {
    for (const double t : part.motion->breaks()) breaks_.push_back(part.start + t);
    breaks_.push_back(part.start);
    if (std::isfinite(part.end())) breaks_.push_back(part.end());
  }
  std::sort(breaks_.begin(), breaks_.end());
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end()), breaks_.end());
}

void Sequence::add(const Entry& entry, size_t number) {
  if (std::isinf(duration_))
    fail(fmt::format("continues with entry {} after a motion that never ends; limit its duration",
                     number));
  if (const double* pause = std::get_if<double>(&entry)) {
    if (!(*pause > 0) || std::isinf(*pause))
      fail(fmt::format("has a pause of {} s as entry {}; give a positive time", *pause, number));
    duration_ += *pause;
    return;
  }
  parts_.push_back({std::get<std::shared_ptr<const DesiredMotion>>(entry), duration_, number});
  duration_ = parts_.back().end();
}

void Sequence::require_equal_kind(const Part& part) const {
  const Part& first = parts_.front();
  if (part.motion->of_frame() != first.motion->of_frame())
    fail(fmt::format("mixes a motion of a frame and one of joints: entries {} and {}", first.number,
                     part.number));
  if (!part.motion->of_frame() &&
      torsor::fingerprint(part.motion->model()) != torsor::fingerprint(first.motion->model()))
    fail(fmt::format("has motions of different robots: entries {} and {}", first.number,
                     part.number));
}

// The smoothness of a part includes its stop at the end, which does not happen if the next part
// continues. Therefore it does not count for a part without jumps inside, except the last one.
void Sequence::find_smoothness(int continuous) {
  smoothness_ = parts_.back().motion->smoothness();
  const auto join = [&](const Reference& a, const Reference& b, double time,
                        const std::string& place) {
    smoothness_ = std::min(smoothness_, continuity(a, b, time, place, continuous));
  };
  const auto end = [&](const Part& part) { return value(part, part.motion->duration()); };
  const Part &first = parts_.front(), &last = parts_.back();
  if (first.start > 0)
    join(value(first, -1), value(first, 0), first.start,
         fmt::format("between the pause and entry {}", first.number));
  for (size_t k = 0; k + 1 < parts_.size(); ++k) {
    const Part &a = parts_[k], &b = parts_[k + 1];
    const std::string place = fmt::format("between entries {} and {}", a.number, b.number);
    if (has_inner_breaks(*a.motion)) smoothness_ = std::min(smoothness_, a.motion->smoothness());
    const bool pauses = a.end() < b.start;
    if (pauses) join(end(a), value(a, rest), a.end(), place);
    join(pauses ? value(a, rest) : end(a), value(b, 0), b.start, place);
  }
  if (last.end() < duration_)
    join(end(last), value(last, rest), last.end(),
         fmt::format("between entry {} and the pause", last.number));
}

int Sequence::continuity(const Reference& a, const Reference& b, double time,
                         const std::string& place, int continuous) const {
  const DesiredMotion& motion = *parts_.front().motion;
  constexpr const char* names[] = {"position", "velocity", "acceleration", "jerk", "snap"};
  for (int k = 0; k <= order_; ++k) {
    const std::vector<double> step = jump(motion, a, b, k);
    const double scale =
        k == 0 ? 0
               : std::max(size(derivative(of_frame(), a, k)), size(derivative(of_frame(), b, k)));
    if (size(step) <= 1e-9 * (1 + scale)) continue;
    if (k <= continuous)
      fail(fmt::format("jumps in {} by {} {}, at {:.6g} s; {}", names[k], largest(motion, step, k),
                       place, time,
                       k == 0   ? "start each motion where the one before ends"
                       : k == 1 ? "give both motions the same velocity there"
                                : "give both motions the same derivative there, or require a "
                                  "smaller smoothness"));
    return k - 1;
  }
  return TORSOR_SMOOTH;
}

Reference Sequence::value(const Part& part, double local_time) const {
  Reference out = make_reference();
  if (const Status status = part.motion->evaluate(local_time, out); !status)
    throw Error(part.motion->explain(status));
  return out;
}

uint64_t Sequence::fingerprint() const {
  Hash hash;
  hash.add(id());
  for (const Part& part : parts_) {
    hash.add(part.start);
    hash.add(part.motion->fingerprint());
  }
  hash.add(duration_);
  return hash.value();
}

// The memory of one part fits all of them if its work area is the largest.
Reference Sequence::make_reference(int order) const {
  Reference out;
  for (const Part& part : parts_)
    if (Reference each = part.motion->make_reference(std::min(order, order_));
        &part == &parts_.front() || each.work.size() > out.work.size())
      out = std::move(each);
  return out;
}

Status Sequence::evaluate(double t, Reference& out) const {
  const auto later =
      std::upper_bound(parts_.begin() + 1, parts_.end(), t,
                       [](double time, const Part& part) { return time < part.start; });
  const Part& part = *(later - 1);
  const double T = part.motion->duration();
  // The end of the sequence is the end of the last motion, which is not yet at rest.
  const bool ends_here = t == duration_ && part.end() == duration_;
  const double local = ends_here ? T : t < part.end() ? std::min(t - part.start, T) : rest;
  const Status status = part.motion->evaluate(local, out);
  if (!status) failed_ = size_t(&part - parts_.data());
  return status;
}

std::string Sequence::explain(Status status) const {
  return parts_[failed_].motion->explain(status);
}

void Sequence::fail(const std::string& what) const {
  throw Error("the sequence " + what);
}

}  // namespace torsor

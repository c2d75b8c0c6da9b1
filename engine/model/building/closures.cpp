#include "torsor/model/building/closures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/model/building/checks.hpp"
#include "torsor/model/building/gears.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

void fail_closure(const ClosureDescription& closure, const std::string& text) {
  fail_at(closure.source, fmt::format("closure '{}': {}", closure.name, text));
}

namespace {

Frame find_frame(const ClosureDescription& closure, const std::string& name,
                 const std::string& prefix, const Model& model) {
  if (name == "world") return {name, 0, Pose<double>::identity()};
  const auto found = std::ranges::find(model.frames, prefix + name, &Frame::name);
  if (found != model.frames.end()) return *found;
  std::vector<std::string> names{"world"};
  for (const Frame& frame : model.frames)
    if (frame.name.starts_with(prefix)) names.push_back(frame.name.substr(prefix.size()));
  fail_closure(closure,
               fmt::format("there is no link or frame '{}'{}", name, did_you_mean(name, names)));
}

// Returns the pose of the frame in its body, turned so that its z axis is the given axis.
Pose<double> along_axis(const ClosureDescription& closure, const Pose<double>& X_BF,
                        const Vec3<double>& axis) {
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (!(length > 0) || !std::isfinite(length))
    fail_closure(closure,
                 fmt::format("the axis ({}, {}, {}) has no direction", axis.x, axis.y, axis.z));
  return X_BF * Pose<double>{rotation_z_to((1 / length) * axis), {0, 0, 0}};
}

void require_parameter(const ClosureDescription& closure) {
  const ClosureTraits& kind = traits(closure.kind);
  const std::string_view parameter = kind.parameter;
  if (!closure.parameter) {
    if (!parameter.empty())
      fail_closure(closure, fmt::format("a {} closure needs a {}", kind.name, parameter));
    return;
  }
  if (parameter.empty())
    fail_closure(closure,
                 fmt::format("a {} closure has no pitch, length, ratio or radius", kind.name));
  const bool positive = parameter == "length";
  // Loops count as closed up to 1e-9 m (largest_loop_error). The direction from A to B, along which
  // the closure acts, is then undetermined for a length that is not larger.
  constexpr double least_length = 1e-9;
  if (positive && *closure.parameter >= 0 && *closure.parameter <= least_length)
    fail_closure(closure, fmt::format("its length is {} m, but a distance closure needs more than "
                                      "{} m; use a spherical closure to join the two points",
                                      *closure.parameter, least_length));
  if (!std::isfinite(*closure.parameter) ||
      !(positive ? *closure.parameter > 0 : *closure.parameter != 0))
    fail_closure(closure,
                 fmt::format("its {} is {}; a {} closure needs a {} number", parameter,
                             *closure.parameter, kind.name, positive ? "positive" : "nonzero"));
}

// Returns the closure between two frames of the model.
Closure between_frames(const ClosureDescription& each, const std::string& prefix,
                       const Model& model) {
  const Frame a = find_frame(each, each.frames[0], prefix, model),
              b = find_frame(each, each.frames[1], prefix, model);
  if (a.body == b.body)
    fail_closure(each, fmt::format("'{}' and '{}' do not move relative to each other; name frames "
                                   "of two bodies",
                                   each.frames[0], each.frames[1]));
  for (const Pose<double>& X : each.origins)
    if (!is_finite(X)) fail_closure(each, "a pose has a value that is not a finite number");
  Closure out{prefix + each.name,
              each.kind,
              a.body,
              b.body,
              along_axis(each, a.X_BF * each.origins[0], each.axes[0]),
              along_axis(each, b.X_BF * each.origins[1], each.axes[1]),
              each.parameter.value_or(0),
              each.source};
  if (each.cut) {
    const Frame first = find_frame(each, each.cut->frame, prefix, model);
    out.cut = CutJoint{model.joint(prefix + each.cut->joint), first.body,
                       along_axis(each, first.X_BF * each.cut->origin, each.cut->axis),
                       each.cut->is_A_cut};
  }
  return out;
}

}  // namespace

void add_closures(const std::vector<ClosureDescription>& closures, const std::string& prefix,
                  Model& model) {
  for (const ClosureDescription& each : closures) {
    if (each.name.empty()) fail_at(each.source, "a closure needs a name");
    check_name("closure", each.name, each.source);
    if (std::ranges::count(model.closures, prefix + each.name, &Closure::name))
      fail_at(each.source,
              fmt::format("there are two closures named '{}'; give each its own name", each.name));
    require_parameter(each);
    model.closures.push_back(traits(each.kind).is_linear() ? between_joints(each, prefix, model)
                                                           : between_frames(each, prefix, model));
  }
}

}  // namespace torsor

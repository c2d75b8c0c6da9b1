#include "torsor/model/building/closures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/model/building/checks.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

[[noreturn]] void reject(const ClosureDescription& closure, const std::string& what) {
  fail_at(closure.source, fmt::format("closure '{}': {}", closure.name, what));
}

Frame find_frame(const ClosureDescription& closure, const std::string& name,
                 const std::string& prefix, const Model& model) {
  if (name == "world") return {name, 0, Pose<double>::identity()};
  const auto found = std::ranges::find(model.frames, prefix + name, &Frame::name);
  if (found != model.frames.end()) return *found;
  std::vector<std::string> names{"world"};
  for (const Frame& frame : model.frames)
    if (frame.name.starts_with(prefix)) names.push_back(frame.name.substr(prefix.size()));
  reject(closure, fmt::format("there is no link or frame '{}'{}", name, did_you_mean(name, names)));
}

// Returns the pose of the frame in its body, turned so that its z axis is the given axis.
Pose<double> along_axis(const ClosureDescription& closure, const Frame& frame,
                        const Vec3<double>& axis) {
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (!(length > 0) || !std::isfinite(length))
    reject(closure, fmt::format("the axis ({}, {}, {}) has no direction", axis.x, axis.y, axis.z));
  return frame.X_BF * Pose<double>{rotation_z_to((1 / length) * axis), {0, 0, 0}};
}

void require_parameter(const ClosureDescription& closure) {
  const ClosureTraits& kind = traits(closure.kind);
  const bool is_set = closure.parameter.has_value();
  if (is_set == !kind.parameter.empty()) {
    if (!is_set) return;
    const bool is_valid =
        std::isfinite(*closure.parameter) &&
        (closure.kind == ClosureKind::distance ? *closure.parameter > 0 : *closure.parameter != 0);
    if (!is_valid)
      reject(closure, fmt::format("its {} is {}; a {} closure needs a {} number", kind.parameter,
                                  *closure.parameter, kind.name,
                                  closure.kind == ClosureKind::distance ? "positive" : "nonzero"));
    return;
  }
  reject(closure, is_set ? fmt::format("a {} closure has no pitch and no length", kind.name)
                         : fmt::format("a {} closure needs a {}", kind.name, kind.parameter));
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
    const Frame a = find_frame(each, each.frames[0], prefix, model),
                b = find_frame(each, each.frames[1], prefix, model);
    if (a.body == b.body)
      reject(each, fmt::format("'{}' and '{}' do not move relative to each other; name frames of "
                               "two bodies",
                               each.frames[0], each.frames[1]));
    model.closures.push_back({prefix + each.name, each.kind, a.body, b.body,
                              along_axis(each, a, each.axes[0]), along_axis(each, b, each.axes[1]),
                              each.parameter.value_or(0), each.source});
  }
}

}  // namespace torsor

#include "torsor/plugin/parameter.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "torsor/base/hash.hpp"

namespace torsor {

namespace {

// A hash of setting values. Hashes the length of a list before its entries, so that different lists
// in sequence have different hashes. Hashes a frame by its body and pose instead of its name.
struct SettingHash {
  const Model& model;
  Hash hash;

  void operator()(double value) { hash.add(value); }
  void operator()(bool value) { hash.add(value); }
  void operator()(std::string_view text) {
    hash.add(text.size());
    hash.add(text);
  }
  void operator()(const std::vector<double>& values) {
    hash.add(values.size());
    hash.add(values);
  }
  void operator()(const Rows& rows) {
    hash.add(rows.size());
    for (const std::vector<double>& row : rows) (*this)(row);
  }
  void operator()(const std::vector<FramePlace>& places) {
    hash.add(places.size());
    for (const FramePlace& place : places) {
      const Frame frame = frame_at(model, place);
      hash.add(frame.body);
      hash.add(&frame.X_BF, sizeof frame.X_BF);
    }
  }
};

}  // namespace

bool FramePlace::operator==(const FramePlace& other) const {
  const auto numbers = [](const Pose<double>& X) {
    return std::tuple(std::to_array(X.R.m), X.p.x, X.p.y, X.p.z);
  };
  return name == other.name && numbers(X) == numbers(other.X);
}

Frame frame_at(const Model& model, const FramePlace& place) {
  const bool world = place.name == "world" &&
                     std::none_of(model.frames.begin(), model.frames.end(),
                                  [](const Frame& frame) { return frame.name == "world"; });
  const Frame frame = world ? Frame{"world", 0, Pose<double>::identity()}
                            : model.frames[size_t(model.frame(place.name))];
  return {place.name, frame.body, frame.X_BF * place.X};
}

std::vector<Parameter> with_changes(const std::vector<Setting>& settings,
                                    const std::vector<Parameter>& changes) {
  std::vector<Parameter> out = changes;
  const auto was_given = [](const auto& value) {
    if constexpr (requires { value.empty(); }) return !value.empty();
    return true;
  };
  for (const auto& [name, unit, value] : settings)
    if (std::visit(was_given, value) &&
        std::ranges::find(changes, name, &Parameter::name) == changes.end())
      out.push_back({name, value});
  return out;
}

uint64_t fingerprint(const torsor_descriptor& descriptor, const Model& model,
                     const std::vector<Setting>& settings) {
  SettingHash identity{model, {}};
  identity(std::string_view(descriptor.id));
  identity(std::string_view(descriptor.version));
  for (const Setting& setting : settings) {
    identity(std::string_view(setting.name));
    std::visit(identity, setting.value);
  }
  return identity.hash.value();
}

}  // namespace torsor

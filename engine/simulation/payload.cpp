#include "torsor/simulation/payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// Returns the model with the payloads that are attached at a time.
std::shared_ptr<const Model> laden(const std::shared_ptr<const Model>& model,
                                   std::span<const Payload> payloads, double t) {
  if (std::none_of(payloads.begin(), payloads.end(), [&](const Payload& p) { return p.is_on(t); }))
    return model;
  auto out = std::make_shared<Model>(*model);
  for (const Payload& payload : payloads) {
    if (!payload.is_on(t)) continue;
    const Frame& frame = model->frames[size_t(payload.frame)];
    SpatialInertia<double>& inertia = out->inertia_B[size_t(frame.body)];
    inertia = inertia + transform(frame.X_BF, payload.inertia_F);
  }
  return out;
}

}  // namespace

void check(const Model& model, std::span<const Payload> payloads) {
  for (const Payload& payload : payloads) {
    const Frame& frame = model.frames.at(size_t(payload.frame));
    if (frame.body == 0)
      throw Error(fmt::format("{}: frame '{}' is fixed in the world and cannot carry a payload",
                              payload.name, frame.name));
    if (!(payload.attach >= 0))
      throw Error(fmt::format("{}: it is attached at {:g} s; a run starts at 0", payload.name,
                              payload.attach));
    if (!(payload.release > payload.attach))
      throw Error(fmt::format(
          "{}: it is released at {:g} s, which is not after {:g} s, when it is attached",
          payload.name, payload.release, payload.attach));
  }
}

std::vector<double> changes(std::span<const Payload> payloads) {
  std::vector<double> times;
  for (const Payload& payload : payloads)
    for (const double t : {payload.attach, payload.release})
      if (t > 0 && std::isfinite(t)) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::vector<std::shared_ptr<const Model>> laden_models(const std::shared_ptr<const Model>& model,
                                                       std::span<const Payload> payloads) {
  check(*model, payloads);
  std::vector<std::shared_ptr<const Model>> models{laden(model, payloads, 0)};
  for (const double t : changes(payloads)) models.push_back(laden(model, payloads, t));
  return models;
}

}  // namespace torsor

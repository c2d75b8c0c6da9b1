#pragma once
// The dynamics of a moment, for whoever shows them: computed when asked for, once.

#include <Eigen/Core>
#include <optional>

#include "editor/session/moment.hpp"
#include "torsor/dynamics/comparison.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::editor {

class Probe {
 public:
  explicit Probe(const Registry& registry);

  // What follows is asked about this moment, which has a scene.
  void look_at(std::shared_ptr<const Moment> moment);

  const State& state() const { return *state_; }

 private:
  const Registry& registry_;
  std::shared_ptr<const Moment> moment_;
  std::shared_ptr<const Scene> scene_;
  std::optional<State> state_;
};

}  // namespace torsor::editor

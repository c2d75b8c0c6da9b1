#pragma once
// The elastic energy of compliant contacts (ContactMaterial::stiffness).

#include <memory>

#include "torsor/contact/contact_detector.hpp"

namespace torsor {

class ContactSprings {
 public:
  explicit ContactSprings(std::shared_ptr<const Model> model) : detector_(std::move(model)) {}

  // Returns the sum of k gap^2 / 2, J, over the points of compliant contacts that overlap at q of
  // the state.
  double energy(const State& state);

 private:
  ContactDetector detector_;
};

}  // namespace torsor

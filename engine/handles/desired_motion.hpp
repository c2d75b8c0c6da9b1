#pragma once
// A desired motion of the joints of a robot or of a frame over time, from 0 to its duration: a
// trajectory plugin, or several motions one after another.

#include <memory>
#include <string>
#include <vector>

#include "torsor/handles/reference.hpp"
#include "torsor/sdk/ext/trajectory.h"

namespace torsor {

class DesiredMotion {
 public:
  virtual ~DesiredMotion() = default;

  virtual std::string id() const = 0;
  virtual const std::shared_ptr<const Model>& model_ptr() const = 0;
  const Model& model() const { return *model_ptr(); }
  virtual uint64_t fingerprint() const = 0;

  // false: a motion of the joints.
  bool of_frame() const { return kind_ == TORSOR_MOTION_OF_FRAME; }
  double duration() const { return duration_; }  // s; may be infinite
  // Returns the number of continuous derivatives, or TORSOR_SMOOTH.
  int smoothness() const { return smoothness_; }
  int order() const { return order_; }  // order of the highest derivative
  // Returns the times at which a derivative jumps, s, in ascending order.
  const std::vector<double>& breaks() const { return breaks_; }

  // Returns a reference with memory for derivatives up to `order`, at most those of the motion.
  virtual Reference make_reference(int order = TORSOR_MAX_ORDER) const = 0;

  // [hot] Evaluates the motion at time t. Deterministic. Does not allocate. Several threads may
  // call it at the same time, each with its own reference. Before t = 0, the result is the start at
  // rest. After the duration, it is the end at rest.
  [[nodiscard]] virtual Status evaluate(double t, Reference& out) const = 0;

  // Returns a sentence that explains a status of evaluate().
  virtual std::string explain(Status status) const = 0;

 protected:
  int kind_ = TORSOR_MOTION_OF_JOINTS, smoothness_ = 0, order_ = 0;
  double duration_ = 0;
  std::vector<double> breaks_;
};

}  // namespace torsor

#pragma once
// Motions one after another, with pauses between them.

#include <atomic>
#include <variant>

#include "torsor/handles/desired_motion.hpp"

namespace torsor {

// At a join of two motions, the position and the velocity are continuous. The acceleration may
// jump. Positions and derivatives are equal if they differ by at most 1e-9 (1 + their size).
class Sequence : public DesiredMotion {
 public:
  // A motion, or a pause at rest, s.
  using Entry = std::variant<std::shared_ptr<const DesiredMotion>, double>;

  // continuous: number of derivatives, at least 1, that must be continuous at each join.
  // Throws Error if there is no motion, if a pause is not positive, if motions are of different
  // kinds or robots, if a motion before the last never ends, or if a derivative jumps at a join.
  explicit Sequence(const std::vector<Entry>& entries, int continuous = 1);

  std::string id() const override { return "sequence"; }
  const std::shared_ptr<const Model>& model_ptr() const override {
    return parts_.front().motion->model_ptr();
  }
  uint64_t fingerprint() const override;
  Reference make_reference(int order = TORSOR_MAX_ORDER) const override;
  [[nodiscard]] Status evaluate(double t, Reference& out) const override;
  std::string explain(Status status) const override;

 private:
  struct Part {
    std::shared_ptr<const DesiredMotion> motion;
    double start;   // s
    size_t number;  // of the entry, from 1
    double end() const { return start + motion->duration(); }
  };

  void add(const Entry& entry, size_t number);
  void require_equal_kind(const Part& part) const;
  void find_smoothness(int continuous);
  // Returns the number of continuous derivatives at a join. `a` and `b` are both sides of it.
  int continuity(const Reference& a, const Reference& b, double time, const std::string& place,
                 int continuous) const;
  Reference value(const Part& part, double local_time) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::vector<Part> parts_;
  // The part that failed last, for explain().
  mutable std::atomic<size_t> failed_ = 0;
};

}  // namespace torsor

#pragma once
// What was met along a run, in a bounded number of stretches of its time, in whatever order they are visited.

#include <cstddef>
#include <vector>

namespace torsor::editor {

class RunHistory {
 public:
  enum class Keep { largest, least };
  explicit RunHistory(Keep keep) : keep_(keep) {}

  // time: s, not negative. What is not a number is left out.
  void add(double time, double value);

  // Stretch k is [k width, (k + 1) width). As a run goes beyond the last of them, stretches are joined by twos.
  static constexpr size_t most = 256;
  double width() const { return width_; }  // s
  size_t size() const { return values_.size(); }
  // The largest, or the least, that was met in a stretch; not a number where nothing was.
  double operator[](size_t k) const { return values_[k]; }
  double at(double time) const;

 private:
  double joined(double a, double b) const;

  Keep keep_;
  double width_ = 1.0 / 64;
  std::vector<double> values_;
};

}  // namespace torsor::editor

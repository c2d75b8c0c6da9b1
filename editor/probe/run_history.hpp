#pragma once
// The largest or smallest values during a run, in at most `most` time intervals.

#include <cstddef>
#include <vector>

namespace torsor::editor {

class RunHistory {
 public:
  enum class Keep { largest, smallest };
  explicit RunHistory(Keep keep) : keep_(keep) {}

  // Adds a value at a time in s (not negative). NaN is ignored.
  void add(double time, double value);

  // Interval k is [k width, (k + 1) width). When a time is after the last interval, all intervals
  // are merged in pairs.
  static constexpr size_t most = 256;
  double width() const { return width_; }  // s
  size_t size() const { return values_.size(); }
  // Returns the largest or smallest value in an interval, or NaN if it has none.
  double operator[](size_t k) const { return values_[k]; }
  double at(double time) const;

 private:
  double joined(double a, double b) const;

  Keep keep_;
  double width_ = 1.0 / 64;
  std::vector<double> values_;
};

}  // namespace torsor::editor

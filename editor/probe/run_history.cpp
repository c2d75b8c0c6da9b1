#include "editor/probe/run_history.hpp"

#include <cmath>
#include <limits>

namespace torsor::editor {

namespace {
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
}

double RunHistory::joined(double a, double b) const {
  // fmax and fmin return the number if the other value is NaN.
  return keep_ == Keep::largest ? std::fmax(a, b) : std::fmin(a, b);
}

void RunHistory::add(double time, double value) {
  if (std::isnan(value)) return;
  while (time >= width_ * double(most)) {
    for (size_t k = 0; 2 * k < values_.size(); ++k)
      values_[k] =
          joined(values_[2 * k], 2 * k + 1 < values_.size() ? values_[2 * k + 1] : nothing);
    values_.resize((values_.size() + 1) / 2);
    width_ *= 2;
  }
  const size_t k = size_t(time / width_);
  if (k >= values_.size()) values_.resize(k + 1, nothing);
  values_[k] = joined(values_[k], value);
}

double RunHistory::at(double time) const {
  const double k = std::floor(time / width_);
  return k >= 0 && k < double(values_.size()) ? values_[size_t(k)] : nothing;
}

}  // namespace torsor::editor

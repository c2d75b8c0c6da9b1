#include "torsor/study/signal_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "torsor/base/error.hpp"

namespace torsor {

size_t SignalRows::column(const std::string& name) const {
  std::vector<size_t> found;
  std::vector<std::string> names;
  for (size_t k = 0; k < columns_.size(); ++k) {
    if (columns_[k].name == name) return k;
    if (columns_[k].name.starts_with(name + ".")) found.push_back(k);
    names.push_back(columns_[k].name);
  }
  if (found.size() == 1) return found[0];
  if (found.size() > 1)
    throw Error(fmt::format("the signal '{}' has {} values; name one of them, such as '{}'", name,
                            found.size(), names[found[0]]));
  throw Error(
      fmt::format("there is no recorded signal '{}'; add it to `record` of the experiment, "
                  "or use one of: {}{}",
                  name, fmt::join(names, ", "), did_you_mean(name, names)));
}

SignalRows::Span SignalRows::whole() const {
  if (values_.empty()) throw Error("the run has no recorded rows");
  return {time(0), time(size() - 1)};
}

void SignalRows::require_times(const Span& span) const {
  const Span all = whole();
  for (const double t : {span.from, span.to})
    if (!(t >= all.from && t <= all.to))
      throw Error(fmt::format("t = {} s is outside the run, which has rows from {} s to {} s", t,
                              all.from, all.to));
  if (span.from > span.to)
    throw Error(fmt::format("`from`, {} s, is after `to`, {} s", span.from, span.to));
}

template <class Piece>
void SignalRows::each_piece(size_t column, const Span& span, const Piece& f) const {
  require_times(span);
  double t0 = span.from, x0 = at(column, t0);
  for (size_t row = 0; row < size() && t0 < span.to; ++row) {
    if (time(row) <= t0) continue;
    const double t1 = std::min(time(row), span.to),
                 x1 = t1 == time(row) ? value(row, column) : at(column, t1);
    f(t0, x0, t1, x1);
    t0 = t1, x0 = x1;
  }
}

double SignalRows::at(size_t column, double t) const {
  require_times({t, t});
  size_t low = 0, high = size() - 1;  // time(low) <= t <= time(high)
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (time(middle) <= t ? low : high) = middle;
  }
  if (t == time(high)) return value(high, column);
  if (t == time(low)) return value(low, column);
  const double u = (t - time(low)) / (time(high) - time(low));
  return (1 - u) * value(low, column) + u * value(high, column);
}

SignalRows::Extreme SignalRows::minimum(size_t column, const Span& span) const {
  Extreme out{at(column, span.from), span.from};
  each_piece(column, span, [&](double, double, double t, double x) {
    if (!(x >= out.value)) out = {x, t};
  });
  return out;
}

SignalRows::Extreme SignalRows::maximum(size_t column, const Span& span) const {
  Extreme out{at(column, span.from), span.from};
  each_piece(column, span, [&](double, double, double t, double x) {
    if (!(x <= out.value)) out = {x, t};
  });
  return out;
}

double SignalRows::integral(size_t column, const Span& span) const {
  double sum = 0;
  each_piece(column, span,
             [&](double t0, double x0, double t1, double x1) { sum += (t1 - t0) * (x0 + x1) / 2; });
  return sum;
}

// int of (x0 + s (x1 - x0))^2 over s = 0..1 is (x0^2 + x0 x1 + x1^2) / 3.
double SignalRows::square_integral(size_t column, const Span& span) const {
  double sum = 0;
  each_piece(column, span, [&](double t0, double x0, double t1, double x1) {
    sum += (t1 - t0) * (x0 * x0 + x0 * x1 + x1 * x1) / 3;
  });
  return sum;
}

std::vector<double> SignalRows::crossings(size_t column, double value, const Span& span,
                                          bool rising, bool falling) const {
  std::vector<double> out;
  each_piece(column, span, [&](double t0, double x0, double t1, double x1) {
    const bool rises = x0 < value && x1 >= value, falls = x0 > value && x1 <= value;
    if ((rises && rising) || (falls && falling))
      out.push_back(t0 + (t1 - t0) * ((value - x0) / (x1 - x0)));
  });
  return out;
}

}  // namespace torsor

#pragma once
// The recorded rows of a run in memory, and their reductions to numbers: values at times, extremes,
// means, integrals, crossings. Between two rows, a signal is linear.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "torsor/signals/column.hpp"

namespace torsor {

class SignalRows {
 public:
  explicit SignalRows(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::span<const double> row) { values_.insert(values_.end(), row.begin(), row.end()); }

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<double>& values() const { return values_; }  // [rows][columns]
  size_t size() const { return values_.size() / columns_.size(); }
  double time(size_t row) const { return values_[row * columns_.size()]; }
  double value(size_t row, size_t column) const { return values_[row * columns_.size() + column]; }
  // Returns the index of a column. The name may be that of a signal with one column. Throws Error
  // "there is no signal ...; did you mean" for other names.
  size_t column(const std::string& name) const;

  // The functions below take times in s, within the times of the rows. Otherwise they throw Error.
  // A span begins at `from` and ends at `to`.
  struct Span {
    double from, to;
  };
  // Returns the span of all rows.
  Span whole() const;
  double at(size_t column, double t) const;
  // An extreme value, and the first time at which it is reached.
  struct Extreme {
    double value, time;
  };
  Extreme minimum(size_t column, const Span& span) const;
  Extreme maximum(size_t column, const Span& span) const;
  // Returns the integral over time, by the trapezoidal rule.
  double integral(size_t column, const Span& span) const;
  // Returns the integral of the square of the signal, exact for a signal that is linear between
  // rows.
  double square_integral(size_t column, const Span& span) const;
  // Returns the times at which the signal passes a value. rising, falling: the directions that
  // count.
  std::vector<double> crossings(size_t column, double value, const Span& span, bool rising,
                                bool falling) const;

 private:
  // Calls f(t0, x0, t1, x1) for each piece of the signal in the span.
  template <class Piece>
  void each_piece(size_t column, const Span& span, const Piece& f) const;
  void require_times(const Span& span) const;

  std::vector<Column> columns_;  // the first is time
  std::vector<double> values_;   // [rows][columns]
};

}  // namespace torsor

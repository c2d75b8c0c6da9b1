#include "torsor/run/timeline.hpp"

#include <algorithm>
#include <cassert>

namespace torsor {

namespace {

size_t row_width(const Snapshot& state) {
  size_t width = 3;
  Snapshot::for_each_array(state, [&](const auto& part) { width += part.size(); });
  return width;
}

void write(const Snapshot& state, double* row) {
  *row++ = double(state.step);  // exact, because runs are shorter than 2^53 steps
  *row++ = state.energy_zero;
  *row++ = state.next_step;
  Snapshot::for_each_array(
      state, [&](const auto& part) { row = std::copy(part.begin(), part.end(), row); });
}

// Reads a row into a state, whose arrays must already have the right sizes.
void read(const double* row, Snapshot& state) {
  state.step = (long long)*row++;
  state.energy_zero = *row++;
  state.next_step = *row++;
  Snapshot::for_each_array(state, [&](auto& part) {
    std::copy_n(row, part.size(), part.begin());
    row += part.size();
  });
}

}  // namespace

Timeline::Timeline(const Snapshot& start, size_t memory)
    : rows_(row_width(start)),
      last_(start),
      changes_(std::make_shared<std::vector<Change>>()),
      capacity_(memory / (row_width(start) * sizeof(double))) {}

long long Timeline::step(size_t i) const {
  assert(i < size());
  return i < rows_.size() ? (long long)rows_[i][0] : last_.step;
}

Snapshot Timeline::at(size_t i) const {
  Snapshot out;
  at(i, out);
  return out;
}

void Timeline::at(size_t i, Snapshot& out) const {
  out = last_;
  if (i < rows_.size()) read(rows_[i], out);
}

size_t Timeline::index_at(long long step) const {
  assert(step >= this->step(0));
  // Invariant: state `low` is at or before the step, and all states from `high` on are after it.
  size_t low = 0, high = size();
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (this->step(middle) <= step ? low : high) = middle;
  }
  return low;
}

bool Timeline::changed_at(long long step) const {
  return std::ranges::binary_search(changes(), step, {}, &Change::step);
}

void Timeline::append(const Snapshot& next) {
  assert(next.step > end());
  store_last();
  last_ = next;
}

// Appends last_ to the stored states if it is the start, at a multiple of the stride, or right
// after a change. Thins out the states if they fill the memory.
void Timeline::store_last() {
  const bool start = rows_.size() == 0;
  if (!start && last_.step % stride_ != 0 && !changed_at(last_.step)) return;
  write(last_, rows_.push());
  if (rows_.size() >= std::max(capacity_, 2 * (changes().size() + 1))) thin();
}

void Timeline::thin() {
  stride_ *= 2;
  SharedRows remaining(rows_.width());
  for (size_t i = 0; i < rows_.size(); ++i)
    if (i == 0 || step(i) % stride_ == 0 || changed_at(step(i)))
      std::copy_n(rows_[i], rows_.width(), remaining.push());
  rows_ = std::move(remaining);
}

void Timeline::change(const Change& change, const Snapshot& after) {
  assert(change.step == after.step);
  cut(after);
  auto changes = std::make_shared<std::vector<Change>>(*changes_);
  std::erase_if(*changes, [&](const Change& other) {
    return other.step == change.step && other.what.index() == change.what.index();
  });
  changes->push_back(change);
  changes_ = std::move(changes);
}

void Timeline::cut(const Snapshot& last) {
  assert(step(0) <= last.step && last.step <= end());
  if (!changes().empty() && changes().back().step > last.step) {
    auto changes = std::make_shared<std::vector<Change>>(*changes_);
    std::erase_if(*changes, [&](const Change& change) { return change.step > last.step; });
    changes_ = std::move(changes);
  }
  if (last.step < end()) {
    const size_t i = index_at(last.step);
    rows_.truncate(step(i) < last.step ? i + 1 : i);
  }
  last_ = last;
}

}  // namespace torsor

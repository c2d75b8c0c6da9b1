#include "torsor/study/workers/finished_sample.hpp"

#include <cstring>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

template <class T>
void append_value(const T& value, std::vector<std::byte>& out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

std::span<const std::byte> take_bytes(size_t count, std::span<const std::byte>& from) {
  if (from.size() < count) throw Error("a process of the study has sent an incomplete result");
  const auto out = from.first(count);
  from = from.subspan(count);
  return out;
}

template <class T>
T take_value(std::span<const std::byte>& from) {
  T value;
  std::memcpy(&value, take_bytes(sizeof value, from).data(), sizeof value);
  return value;
}

std::vector<double> take_values(size_t count, std::span<const std::byte>& from) {
  std::vector<double> out(count);
  for (double& value : out) value = take_value<double>(from);
  return out;
}

}  // namespace

SampleBytes::SampleBytes(const StudyLayout& layout)
    : n_parameters_(layout.parameters.size()), n_outcomes_(layout.outcomes.size()) {}

void SampleBytes::append(const FinishedSample& sample, std::vector<std::byte>& out) const {
  const SampleRow& row = sample.row;
  append_value(sample.sample, out);
  append_value(row.status, out);
  append_value(row.failure, out);
  append_value(row.state_hash, out);
  append_value(row.wall_time, out);
  for (const double value : row.parameters) append_value(value, out);
  for (const double value : row.outcomes) append_value(value, out);
  append_value(uint32_t(sample.message.size()), out);
  const auto* text = reinterpret_cast<const std::byte*>(sample.message.data());
  out.insert(out.end(), text, text + sample.message.size());
}

FinishedSample SampleBytes::take(std::span<const std::byte>& bytes) const {
  FinishedSample out;
  out.sample = take_value<uint64_t>(bytes);
  const auto status = take_value<uint8_t>(bytes);
  if (status >= n_sample_statuses)
    throw Error("a process of the study has sent a result with an unknown status");
  out.row.status = SampleStatus(status);
  out.row.failure = take_value<uint32_t>(bytes);
  out.row.state_hash = take_value<uint64_t>(bytes);
  out.row.wall_time = take_value<double>(bytes);
  out.row.parameters = take_values(n_parameters_, bytes);
  out.row.outcomes = take_values(n_outcomes_, bytes);
  const auto text = take_bytes(take_value<uint32_t>(bytes), bytes);
  out.message.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return out;
}

}  // namespace torsor

#include "torsor/study/table/row_format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/recording/checksum.hpp"

namespace torsor {

namespace {

using hdf5::checked;
using hdf5::Handle;

// HDF5 stores the description of a type in 64 kB. A column takes its name and about 40 bytes.
constexpr size_t most_columns = 500, most_label_bytes = 10'000, most_name_bytes = 30'000,
                 longest_name = 120;

constexpr const char *before[] = {"sample", "status"},
                     *after[] = {"failure", "state_hash", "wall_time", "row_crc32"};

// Sizes in bytes: sample, status; failure, state_hash, wall_time, row_crc32.
constexpr size_t bytes_before = 8 + 1, bytes_after = 4 + 8 + 8 + 4, bytes_of_label = 4;

size_t size_of(const StudyColumn& column) {
  return column.labels.empty() ? sizeof(double) : bytes_of_label;
}

void require_distinct(const std::vector<RowFormat::Column>& columns) {
  std::set<std::string> seen;
  size_t bytes = 0;
  for (const auto& [name, unit, role] : columns) {
    if (!is_plain_text(name) || name.empty() || name.size() > longest_name)
      throw Error(fmt::format("the name '{}' of a column must be plain text of at most {} bytes",
                              quotable(name), longest_name));
    bytes += name.size();
    if (!seen.insert(name).second)
      throw Error(
          fmt::format("two columns of the study have the name '{}'; rename the {}", name, role));
  }
  if (bytes > most_name_bytes)
    throw Error("the names of the columns are too long together; return fewer outcomes");
}

// Reads and writes the bytes of a row in order.
struct Writer {
  std::byte* at;
  template <class T>
  void put(T value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  }
};
struct Reader {
  const std::byte* at;
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
};

Handle enumeration(const std::vector<std::string>& labels) {
  Handle type = checked(H5Tenum_create(H5T_STD_I32LE));
  for (int32_t k = 0; k < int32_t(labels.size()); ++k)
    checked(H5Tenum_insert(type, labels[size_t(k)].c_str(), &k));
  return type;
}

Handle status_type() {
  Handle type = checked(H5Tenum_create(H5T_STD_U8LE));
  for (uint8_t k = 0; k < n_sample_statuses; ++k)
    checked(H5Tenum_insert(type, name(SampleStatus(k)), &k));
  return type;
}

}  // namespace

RowFormat::RowFormat(const StudyLayout& layout)
    : parameters_(layout.parameters), outcomes_(layout.outcomes) {
  const std::vector<Column> all = columns();
  if (all.size() > most_columns)
    throw Error(fmt::format("a study has at most {} columns, not {}; return fewer outcomes",
                            most_columns, all.size()));
  require_distinct(all);
  size_t labels = 0;
  bytes_ = bytes_before + bytes_after;
  for (const auto* columns : {&parameters_, &outcomes_})
    for (const StudyColumn& column : *columns) {
      bytes_ += size_of(column);
      for (const std::string& label : column.labels) labels += label.size() + sizeof(int32_t);
    }
  if (labels > most_label_bytes)
    throw Error("the text values of the parameters are too long together; use numbers instead");
}

std::vector<RowFormat::Column> RowFormat::columns() const {
  std::vector<Column> out;
  for (const char* name : before) out.push_back({name, "", "result"});
  for (const StudyColumn& column : parameters_)
    out.push_back({column.name, column.unit, "parameter"});
  for (const StudyColumn& column : outcomes_) out.push_back({column.name, column.unit, "outcome"});
  for (const char* name : after) out.push_back({name, name == after[2] ? "s" : "", "result"});
  return out;
}

hdf5::Handle RowFormat::type() const {
  Handle type = checked(H5Tcreate(H5T_COMPOUND, bytes_));
  size_t offset = 0;
  const auto add = [&](const std::string& name, hid_t field) {
    checked(H5Tinsert(type, name.c_str(), offset, field));
    offset += checked(H5Tget_size(field));
  };
  const Handle status = status_type();
  add(before[0], H5T_STD_U64LE);
  add(before[1], status);
  for (const auto* columns : {&parameters_, &outcomes_})
    for (const StudyColumn& column : *columns)
      if (column.labels.empty())
        add(column.name, H5T_IEEE_F64LE);
      else
        add(column.name, enumeration(column.labels));
  add(after[0], H5T_STD_U32LE);
  add(after[1], H5T_STD_U64LE);
  add(after[2], H5T_IEEE_F64LE);
  add(after[3], H5T_STD_U32LE);
  return type;
}

void RowFormat::encode(uint64_t sample, const SampleRow& row, std::span<std::byte> out) const {
  Writer to{out.data()};
  to.put(sample);
  to.put(row.status);
  const auto put = [&](const std::vector<StudyColumn>& columns, const std::vector<double>& values) {
    for (size_t k = 0; k < columns.size(); ++k) {
      if (columns[k].labels.empty())
        to.put(values[k]);
      else
        to.put(int32_t(values[k]));
    }
  };
  put(parameters_, row.parameters);
  put(outcomes_, row.outcomes);
  to.put(row.failure);
  to.put(row.state_hash);
  to.put(row.wall_time);
  const size_t length = size_t(to.at - out.data());
  to.put(checksum(std::string_view(reinterpret_cast<const char*>(out.data()), length)));
}

SampleRow RowFormat::decode(uint64_t sample, std::span<const std::byte> in) const {
  Reader from{in.data()};
  SampleRow row;
  const uint64_t stored = from.take<uint64_t>();
  const uint8_t status = from.take<uint8_t>();
  const auto take = [&](const std::vector<StudyColumn>& columns, std::vector<double>& values) {
    for (const StudyColumn& column : columns) {
      values.push_back(column.labels.empty() ? from.take<double>() : from.take<int32_t>());
      if (!column.labels.empty() &&
          !(values.back() >= 0 && values.back() < double(column.labels.size())))
        values.back() = 0;
    }
  };
  take(parameters_, row.parameters);
  take(outcomes_, row.outcomes);
  row.failure = from.take<uint32_t>();
  row.state_hash = from.take<uint64_t>();
  row.wall_time = from.take<double>();
  const std::string_view bytes(reinterpret_cast<const char*>(in.data()),
                               size_t(from.at - in.data()));
  const bool is_sound = from.take<uint32_t>() == checksum(bytes) && stored == sample;
  if (is_sound && status < n_sample_statuses) row.status = SampleStatus(status);
  return row;
}

}  // namespace torsor

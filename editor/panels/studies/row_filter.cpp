#include "editor/panels/studies/row_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view word) {
  std::vector<std::string_view> out;
  for (;;) {
    const size_t at = text.find(word);
    out.push_back(trimmed(text.substr(0, at)));
    if (at == text.npos) return out;
    text.remove_prefix(at + word.size());
  }
}

std::optional<double> as_number(std::string_view text) {
  const std::string word(text);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0') return std::nullopt;
  return value;
}

std::vector<bool> matching_labels(const StudyField& field, std::string_view value) {
  std::vector<bool> out;
  for (const std::string& label : field.labels)
    out.push_back(field.role == StudyField::Role::failure ? contains(label, value)
                                                          : label == value);
  if (field.role != StudyField::Role::failure && std::ranges::find(out, true) == out.end())
    throw Error(fmt::format("'{}' has no value '{}'{}", field.name, value,
                            did_you_mean(std::string(value), field.labels)));
  return out;
}

}  // namespace

RowFilter::Condition RowFilter::condition_of(const StudyData& data, std::string_view text) {
  const size_t at = text.find_first_of("<>=!~");
  if (at == text.npos || trimmed(text.substr(0, at)).empty())
    throw Error(fmt::format("'{}' is not a condition; write COLUMN > VALUE, as in {} > 2", text,
                            data.fields.at(2).name));
  const bool two = at + 1 < text.size() && text[at + 1] == '=';
  const char sign = text[at];
  if ((sign == '!' || sign == '~') && !two)
    throw Error(fmt::format("'{}' is not an operator; use < <= > >= = or !=", sign));
  Condition out{.field = data.require(trimmed(text.substr(0, at))),
                .test = sign == '<'   ? (two ? Test::at_most : Test::less)
                        : sign == '>' ? (two ? Test::at_least : Test::more)
                        : sign == '=' ? Test::equal
                                      : Test::unequal,
                .value = std::nan(""),
                .labels = {}};
  const std::string_view value = trimmed(text.substr(at + (two ? 2 : 1)));
  if (value.empty())
    throw Error(fmt::format("the value is missing after '{}'", text.substr(0, at + (two ? 2 : 1))));
  if (value == "-" || value == "nan") return out;
  if (!out.field.labels.empty()) {
    if (out.test != Test::equal && out.test != Test::unequal)
      throw Error(fmt::format("'{}' has no order; use = or !=", out.field.name));
    out.labels = matching_labels(out.field, value);
    return out;
  }
  const std::optional<double> number = as_number(value);
  if (!number) throw Error(fmt::format("'{}' is not a number", value));
  out.value = *number;
  return out;
}

bool RowFilter::Condition::holds(double x) const {
  if (!labels.empty()) {
    const bool equal = x >= 0 && x < double(labels.size()) && labels[size_t(x)];
    return equal == (test == Test::equal);
  }
  if (std::isnan(value)) return std::isnan(x) == (test == Test::equal);
  switch (test) {
    case Test::less:
      return x < value;
    case Test::at_most:
      return x <= value;
    case Test::more:
      return x > value;
    case Test::at_least:
      return x >= value;
    case Test::equal:
      return x == value;
    case Test::unequal:
      return x != value;
  }
  return false;
}

RowFilter::RowFilter(const StudyData& data, std::string_view text) {
  if (trimmed(text).empty()) {
    alternatives_.emplace_back();
    return;
  }
  for (const std::string_view alternative : split_at(text, " or ")) {
    alternatives_.emplace_back();
    for (const std::string_view condition : split_at(alternative, " and "))
      alternatives_.back().push_back(condition_of(data, condition));
  }
}

bool RowFilter::matches(const StudyData& data, size_t row) const {
  return std::ranges::any_of(alternatives_, [&](const std::vector<Condition>& all) {
    return std::ranges::all_of(all, [&](const Condition& condition) {
      return condition.holds(data.value(condition.field, row));
    });
  });
}

RowSelection select_rows(const StudyData& data, const RowRequest& request) {
  RowSelection out;
  const RowFilter filter(data, request.filter);
  for (size_t row = 0; row < data.rows(); ++row)
    if (request.statuses[size_t(data.columns.status[row])] && filter.matches(data, row))
      out.rows.push_back(uint32_t(row));
  const StudyField* field = data.find(request.sorted);
  if (!field) field = &data.fields.front();
  if (field->role == StudyField::Role::sample) {
    out.order = out.rows;
    if (request.descending) std::ranges::reverse(out.order);
    return out;
  }
  struct Keyed {
    double key;
    uint32_t row;
  };
  std::vector<Keyed> keyed, missing;
  keyed.reserve(out.rows.size());
  for (const uint32_t row : out.rows) {
    const double key = data.value(*field, row);
    (std::isnan(key) ? missing : keyed).push_back({request.descending ? -key : key, row});
  }
  std::ranges::sort(keyed, [](const Keyed& a, const Keyed& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  });
  for (const auto* part : {&keyed, &missing})
    for (const Keyed& each : *part) out.order.push_back(each.row);
  return out;
}

}  // namespace torsor::editor

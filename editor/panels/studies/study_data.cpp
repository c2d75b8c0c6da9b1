#include "editor/panels/studies/study_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "torsor/base/error.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::editor {

namespace {

using Role = StudyField::Role;

constexpr const char* unlisted_failure = "a kind of failure that the table does not list";

std::vector<StudyField> fields_of(const StudyLayout& layout,
                                  const std::vector<FailureKind>& kinds) {
  std::vector<StudyField> out{{.name = "sample", .unit = "", .role = Role::sample},
                              {.name = "status", .unit = "", .role = Role::status}};
  for (int k = 0; k < n_sample_statuses; ++k) out.back().labels.emplace_back(name(SampleStatus(k)));
  const auto add = [&](const std::vector<StudyColumn>& columns, Role role) {
    for (size_t k = 0; k < columns.size(); ++k)
      out.push_back({columns[k].name, columns[k].unit, role, k, columns[k].labels});
  };
  add(layout.parameters, Role::parameter);
  add(layout.outcomes, Role::outcome);
  out.push_back({.name = "wall_time", .unit = "s", .role = Role::wall_time});
  out.push_back({.name = "failure", .unit = "", .role = Role::failure});
  for (const FailureKind& kind : kinds) out.back().labels.push_back(kind.message);
  out.back().labels.emplace_back(unlisted_failure);
  return out;
}

// Returns the index of the kind of failure of each row. Keys without a kind have the last index.
std::vector<float> failure_indices(const std::vector<uint32_t>& keys,
                                   const std::vector<FailureKind>& kinds) {
  std::unordered_map<uint32_t, float> index;
  for (size_t k = 0; k < kinds.size(); ++k) index[kinds[k].key] = float(k);
  std::vector<float> out(keys.size(), std::numeric_limits<float>::quiet_NaN());
  for (size_t row = 0; row < keys.size(); ++row) {
    if (keys[row] == 0) continue;
    const auto found = index.find(keys[row]);
    out[row] = found != index.end() ? found->second : float(kinds.size());
  }
  return out;
}

std::vector<size_t> all_outcomes(const StudyLayout& layout) {
  std::vector<size_t> out(layout.outcomes.size());
  std::iota(out.begin(), out.end(), size_t(0));
  return out;
}

}  // namespace

std::string StudyField::head() const {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

uint64_t StudyData::n_results() const {
  uint64_t out = 0;
  for (int k = 0; k < n_sample_statuses; ++k)
    if (has_result(SampleStatus(k))) out += statuses[size_t(k)];
  return out;
}

std::optional<size_t> StudyData::row_of(uint64_t sample) const {
  const auto& [index, count] = layout.shard;
  if (sample >= layout.samples || sample % count != index) return std::nullopt;
  return sample / count;
}

const StudyField* StudyData::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &StudyField::name);
  return found != fields.end() ? &*found : nullptr;
}

const StudyField& StudyData::require(std::string_view name) const {
  if (const StudyField* field = find(name)) return *field;
  std::vector<std::string> names;
  for (const StudyField& field : fields) names.push_back(field.name);
  throw Error(
      fmt::format("the study has no column '{}'{}", name, did_you_mean(std::string(name), names)));
}

std::string StudyData::text(const StudyField& field, double value) {
  if (std::isnan(value)) return "-";
  if (field.role == Role::sample) return fmt::format("{:.0f}", value);
  if (field.labels.empty()) return fmt::format("{:.6g}", value);
  return value >= 0 && value < double(field.labels.size()) ? field.labels[size_t(value)] : "-";
}

std::string StudyData::text(const StudyField& field, size_t row) const {
  return text(field, value(field, row));
}

std::shared_ptr<const StudyData> read_study(const std::filesystem::path& file) {
  auto out = std::make_shared<StudyData>();
  out->file = file;
  std::error_code ignored;
  out->written = std::filesystem::last_write_time(file, ignored);
  const StudyReader table(file);
  out->layout = table.layout();
  out->columns = read_columns(table, all_outcomes(out->layout));
  for (const SampleStatus status : out->columns.status) ++out->statuses[size_t(status)];
  // A row that was not run has zeros in the place of its parameters.
  for (size_t row = 0; row < out->rows(); ++row)
    if (out->columns.status[row] == SampleStatus::not_run)
      for (std::vector<double>& column : out->columns.parameters)
        column[row] = std::numeric_limits<double>::quiet_NaN();
  out->fields = fields_of(out->layout, table.failures());
  out->failure_index_ = failure_indices(out->columns.failure, table.failures());
  out->n_failures =
      uint64_t(std::ranges::count_if(out->columns.failure, [](uint32_t key) { return key != 0; }));
  const auto description = nlohmann::json::parse(out->layout.description, nullptr, false);
  if (description.is_object() && description.contains("scene") && description["scene"].is_string())
    out->scene = description["scene"];
  return out;
}

}  // namespace torsor::editor

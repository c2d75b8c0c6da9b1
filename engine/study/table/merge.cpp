#include "torsor/study/table/merge.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/recording/csv_fields.hpp"
#include "torsor/study/sampling/number_text.hpp"
#include "torsor/study/table/study_table.hpp"

namespace torsor {

namespace {

void require_same_study(const StudyReader& first, const StudyReader& other,
                        const std::string& first_name, const std::string& name) {
  const StudyLayout &a = first.layout(), &b = other.layout();
  if (a.description == b.description && a.samples == b.samples && a.parameters == b.parameters &&
      a.outcomes == b.outcomes)
    return;
  throw Error(
      fmt::format("'{}' and '{}' are not parts of one study: their scenes, plugins, "
                  "samples or outcomes differ",
                  first_name, name));
}

}  // namespace

uint64_t merge_studies(const std::vector<std::filesystem::path>& tables,
                       const std::filesystem::path& out) {
  const StudyReader first(tables.at(0));
  StudyLayout layout = first.layout();
  layout.shard = {};
  std::vector<uint8_t> has(layout.samples);
  StudyTable merged = StudyTable::create(out, layout);
  for (const std::filesystem::path& path : tables) {
    const StudyReader table(path);
    require_same_study(first, table, tables[0].string(), path.string());
    for (const FailureKind& kind : table.failures()) merged.add_failure(kind.sample, kind.message);
    table.each([&](uint64_t sample, const SampleRow& row) {
      if (!has_result(row.status) || has[sample]) return;
      has[sample] = 1;
      merged.write(sample, row);
    });
  }
  merged.finish();
  return uint64_t(std::ranges::count(has, 0));
}

void export_csv(const StudyReader& table, const std::filesystem::path& out) {
  const StudyLayout& layout = table.layout();
  OutputFile file(out);
  std::string line = "sample,status";
  for (const auto* columns : {&layout.parameters, &layout.outcomes})
    for (const StudyColumn& column : *columns) line += "," + csv_field(column.head());
  file.write(line + ",failure,state_hash,wall_time [s]\n");
  table.each([&](uint64_t sample, const SampleRow& row) {
    line = fmt::format("{},{}", sample, name(row.status));
    const auto add = [&](const std::vector<StudyColumn>& columns,
                         const std::vector<double>& values) {
      const bool is_empty = row.status == SampleStatus::not_run;
      for (size_t k = 0; k < columns.size(); ++k)
        line += "," + (is_empty ? "" : csv_field(columns[k].text(values[k])));
    };
    add(layout.parameters, row.parameters);
    add(layout.outcomes, row.outcomes);
    line += fmt::format(",{},{:016x},{}\n", csv_field(table.message(row.failure)), row.state_hash,
                        number_text(row.wall_time));
    file.write(line);
  });
  file.commit();
}

}  // namespace torsor

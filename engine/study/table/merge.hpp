#pragma once
// Merges tables of one study, such as its shards, and exports tables.

#include <filesystem>
#include <vector>

#include "torsor/study/table/study_reader.hpp"

namespace torsor {

// Writes a table with the results of all tables. Returns the number of samples without a result.
// Throws Error if the tables are not of the same study, or if the output cannot be written.
uint64_t merge_studies(const std::vector<std::filesystem::path>& tables,
                       const std::filesystem::path& out);

// Writes all rows as CSV: a first line "name [unit],..", then one line per sample. Numbers have all
// digits. Throws Error if the file cannot be written.
void export_csv(const StudyReader& table, const std::filesystem::path& out);

}  // namespace torsor

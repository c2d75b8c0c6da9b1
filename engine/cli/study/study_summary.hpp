#pragma once
// The summary that `torsor study` prints at its end.

#include <string>

#include "torsor/study/table/study_reader.hpp"

namespace torsor::cli {

// Prints the number of samples with each status, one line for each kind of failure with the command
// that repeats its first sample, and a hash of the results. scene, table: paths for the command.
void print_study_totals(const StudyReader& study, const std::string& scene,
                        const std::string& table);
// Prints the rows of a small study as a table, and the totals.
void print_study_summary(const StudyReader& study, const std::string& scene,
                         const std::string& table);

}  // namespace torsor::cli

#include "torsor/cli/study/study_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/study/sampling/number_text.hpp"

namespace torsor::cli {

namespace {

// Reads a whole number of at least `least`, or returns nullopt.
std::optional<uint64_t> whole_number(const std::string& text, double least) {
  const auto number = number_of(text);
  if (!number || *number < least || *number > 0x1p52 || *number != uint64_t(*number))
    return std::nullopt;
  return uint64_t(*number);
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) c == ',' ? void(out.emplace_back()) : void(out.back() += c);
  return out;
}

GridAxis grid_axis(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format(
        "--grid {}: it must be NAME=VALUE,VALUE or NAME=FROM:TO:COUNT, as in --grid payload=0,2",
        text));
  return {text.substr(0, equals), split_at_commas(text.substr(equals + 1))};
}

}  // namespace

PlanRequest plan_request(const StudyOptions& options) {
  const int given = (options.samples > 0) + !options.grid.empty() + !options.from.empty();
  if (given > 1) throw Error("--samples, --grid and --from exclude each other: give one of them");
  PlanRequest out;
  out.samples = options.samples;
  out.design = options.design;
  out.seed = options.seed;
  for (const std::string& text : options.grid) out.grid.push_back(grid_axis(text));
  if (!options.from.empty()) out.table = read_text_table(options.from, options.from);
  return out;
}

Shard study_shard(const std::string& text) {
  if (text.empty()) return {};
  const size_t slash = text.find('/');
  const auto index = whole_number(text.substr(0, slash), 1),
             count = slash == std::string::npos ? std::nullopt
                                                : whole_number(text.substr(slash + 1), 1);
  if (!index || !count || *index > *count)
    throw Error(fmt::format("--shard {}: it must be I/N with I from 1 to N, as in 3/20", text));
  return {*index - 1, *count};
}

std::filesystem::path study_path(const StudyOptions& options, const Shard& shard) {
  const std::string part =
      shard.count == 1 ? "" : fmt::format("-{}-of-{}", shard.index + 1, shard.count);
  return table_path(options.table,
                    fmt::format("{}-study{}.h5",
                                std::filesystem::path(options.scene.scene).stem().string(), part));
}

Keep study_keep(const StudyOptions& options, const std::vector<StudyColumn>& outcomes) {
  const std::vector<std::string> names = column_names(outcomes);
  if (!options.by.empty() && std::ranges::count(names, options.by) == 0)
    throw Error(fmt::format("--by {}: there is no outcome of this name; there are: {}{}",
                            options.by, fmt::join(names, ", "), did_you_mean(options.by, names)));
  if (options.keep == "none") return {};
  if (options.keep == "all") return {.all = true};
  constexpr std::string_view worst = "worst:";
  const auto count = options.keep.starts_with(worst)
                         ? whole_number(options.keep.substr(worst.size()), 1)
                         : std::nullopt;
  if (!count)
    throw Error(
        fmt::format("--keep {}: it must be all, none or worst:N, as in worst:10", options.keep));
  if (options.by.empty() && names.size() != 1)
    throw Error(
        fmt::format("--keep {}: name the outcome whose largest values are the worst, as in --by {}",
                    options.keep, names.at(0)));
  return {.worst = *count, .outcome = options.by.empty() ? names[0] : options.by};
}

}  // namespace torsor::cli

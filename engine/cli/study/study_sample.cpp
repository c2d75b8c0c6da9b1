#include "torsor/cli/study/study_sample.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/scripting/study/study_settings.hpp"
#include "torsor/study/sampling/number_text.hpp"
#include "torsor/study/study_description.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::cli {

namespace {

// Returns the row of a sample in the table. Throws Error if the table does not have it.
uint64_t row_of(const StudyLayout& layout, const std::string& name, double sample) {
  const auto& [index, count] = layout.shard;
  if (sample < 0 || sample >= double(layout.samples) || sample != double(uint64_t(sample)))
    throw Error(fmt::format("--sample {}: the samples are 0 to {}", name, layout.samples - 1));
  const auto k = uint64_t(sample);
  if (k % count != index)
    throw Error(fmt::format("--sample {}: it is in shard {} of {}, and the table has shard {}",
                            name, k % count + 1, count, index + 1));
  return k / count;
}

}  // namespace

StudySample read_study_sample(const std::string& name) {
  const size_t colon = name.rfind(':');
  const auto sample = colon == std::string::npos ? std::nullopt : number_of(name.substr(colon + 1));
  if (!sample || colon == 0)
    throw Error(
        fmt::format("--sample {}: it must be STUDY.h5:K, the sample K of a study, as in "
                    "study.h5:4711",
                    quotable(name)));
  const StudyReader study(name.substr(0, colon));
  const StudyLayout& layout = study.layout();
  const SampleRow row = study.read(row_of(layout, name, *sample), 1).at(0);
  if (row.status == SampleStatus::not_run)
    throw Error(
        fmt::format("--sample {}: this sample has not been run; torsor study --resume "
                    "runs it",
                    name));
  StudySample out{.name = name,
                  .settings = {},
                  .run = {},
                  .status = row.status,
                  .state_hash = row.state_hash,
                  .description = layout.description};
  StudySettings set;
  try {
    out.run = run_settings(nlohmann::json::parse(layout.description).at("settings"), set);
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("--sample {}: the description of the study is damaged", name));
  }
  for (size_t k = 0; k < layout.parameters.size(); ++k)
    set[layout.parameters[k].name] = layout.parameters[k].text(row.parameters[k]);
  for (const auto& [parameter, value] : set)
    out.settings.push_back(fmt::format("{}={}", parameter, value));
  return out;
}

std::string sample_warning(const StudySample& sample, const std::filesystem::path& scene,
                           const std::vector<std::filesystem::path>& files,
                           const Registry& plugins) {
  const std::string now = describe_study(
      {.scene = scene, .files = files, .plugins = &plugins, .settings = {}}, {}, "{}");
  const std::string difference = scene_difference(sample.description, now);
  return difference.empty()
             ? ""
             : fmt::format("{}: {}, so that this run may differ", sample.name, difference);
}

std::string sample_comparison(const StudySample& sample, uint64_t state_hash) {
  if (!has_result(sample.status)) return sample.name + ", which the study did not finish";
  if (state_hash == sample.state_hash)
    return fmt::format("{}, the same final state to the bit", sample.name);
  return fmt::format(
      "{}, whose final state differs: its hash is {:016x}, and that of this run "
      "{:016x}",
      sample.name, sample.state_hash, state_hash);
}

}  // namespace torsor::cli

#include "editor/panels/studies/open_sample.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/support/named_scene.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/cli/study/study_sample.hpp"

namespace torsor::editor {

namespace {

std::filesystem::path scene_of(const StudyData& data, const std::string& given) {
  if (!given.empty()) {
    if (const std::string why = why_no_file(given); !why.empty())
      throw Error(fmt::format("{}: {}", given, why));
    return given;
  }
  if (data.scene.empty())
    throw Error(fmt::format("{}: the study does not name its scene", data.file.string()));
  if (const auto found = find_named_scene(data.scene, data.file)) return *found;
  throw Error(fmt::format(
      "{}: its scene '{}' was not found; start the editor in the folder in which the study ran",
      data.file.string(), data.scene));
}

std::string sample_name(const StudyData& data, uint64_t sample) {
  return fmt::format("{}:{}", data.file.string(), sample);
}

}  // namespace

void open_study_scene(Editor& editor, const StudyData& data) {
  leave(editor, OpenRequest{scene_of(data, "")});
}

void open_sample(Editor& editor, const StudyData& data, uint64_t sample, const std::string& scene) {
  const std::filesystem::path file = scene_of(data, scene);
  if (data.columns.status.at(data.row_of(sample).value()) == SampleStatus::not_run)
    throw Error(fmt::format("sample {} has not been run; `torsor study --resume` runs it", sample));
  auto read =
      std::make_shared<const cli::StudySample>(cli::read_study_sample(sample_name(data, sample)));
  leave(editor, OpenRequest{.file = file, .sample = std::move(read)});
}

void draw_opened_sample(Editor& editor, const StudyData& data) {
  const std::shared_ptr<const cli::StudySample> sample =
      editor.has_scene() ? editor.scene().sample : nullptr;
  if (!sample || !sample->name.starts_with(data.file.string() + ":")) return;
  const SessionState& now = *editor.now;
  const std::string number = sample->name.substr(sample->name.rfind(':') + 1);
  std::string text = fmt::format("The scene is sample {}.", number);
  Shade shade = Shade::accent;
  if (now.state.step == editor.scene().steps && now.edits().empty() && has_result(sample->status)) {
    const bool same = state_hash(now.state) == sample->state_hash;
    text += same ? " Its final state is that of the study to the bit."
                 : " Its final state differs from that of the study.";
    shade = same ? Shade::good : Shade::warning;
  }
  ImGui::PushStyleColor(ImGuiCol_Text, color(shade));
  draw_wrapped_text(text);
  ImGui::PopStyleColor();
}

}  // namespace torsor::editor

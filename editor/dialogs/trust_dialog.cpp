#include "editor/dialogs/trust_dialog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/text.hpp"
#include "torsor/host/trust.hpp"

namespace torsor::editor {

namespace {

using TrustAnswer = TrustDialog::Answer;

struct Choice {
  const char *label, *word;  // word: argument of the action trust.answer
  TrustAnswer answer;
  const char* help;
};
constexpr Choice choices[] = {
    {"Allow once", "once", TrustAnswer::once,
     "Allow this version of the file until the window closes"},
    {"Always for this file", "file", TrustAnswer::file, "Allow this file until it changes"},
    {"Always for this folder", "folder", TrustAnswer::folder,
     "Allow every file in this folder and below it, now and later: for the folder in which you "
     "build your own plugins"},
    {"Do not load", "no", TrustAnswer::no, "The scene is not loaded"}};

void draw_request(const AccessRequest& request) {
  const bool plugin = request.kind == AccessRequest::Kind::plugin;
  draw_wrapped_text(fmt::format("{} names {}:", one_line(request.source),
                                plugin ? "a plugin of machine code" : "a file outside its folder"));
  ImGui::Spacing();
  draw_wrapped_text(one_line(request.file.string()));
  std::error_code failed;
  const auto size = std::filesystem::file_size(request.file, failed);
  dim_text(request.sha256.empty() ? "The file does not exist, or cannot be read."
                                  : fmt::format("{} bytes, SHA-256 {}...", failed ? 0 : size,
                                                request.sha256.substr(0, 16)));
  ImGui::Spacing();
  draw_wrapped_text(
      plugin ? "Machine code can do anything that you can do on this computer. Allow it only if "
               "you trust whoever made it."
             : "The scene could show or record what the file contains.");
  ImGui::Spacing();
  ImGui::Spacing();
}

}  // namespace

void follow_permission(Editor& editor) {
  TrustDialog& dialog = editor.trust_dialog;
  if (dialog.request == editor.now->needed) return;
  dialog.request = editor.now->needed;
  dialog.shown = dialog.request != nullptr;
  if (dialog.shown)
    editor.help = editor.palette.shown = editor.open_dialog.shown = editor.export_dialog.shown =
        false;
}

void answer_trust(Editor& editor, const std::string& word) {
  std::vector<std::string> words;
  for (const Choice& choice : choices) words.emplace_back(choice.word);
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    throw Error(fmt::format("'{}' is not an answer; the answers are {}{}", word,
                            fmt::join(words, ", "), did_you_mean(word, words)));
  const TrustAnswer answer = choices[found - words.begin()].answer;
  TrustDialog& dialog = editor.trust_dialog;
  if (!dialog.shown || !editor.trust) throw Error("there is no question about a file");
  dialog.shown = false;
  if (answer == TrustAnswer::no) return;
  switch (answer) {
    case TrustAnswer::once:
      editor.trust->allow_once(*dialog.request);
      break;
    case TrustAnswer::file:
      editor.trust->allow_always(*dialog.request);
      break;
    default:
      editor.trust->allow_folder(dialog.request->file.parent_path());
  }
  editor.session.post(command::Reload{});
}

void draw_trust_dialog(Editor& editor) {
  TrustDialog& dialog = editor.trust_dialog;
  bool shown = dialog.shown;
  if (!begin_overlay("Allow this file?", shown, 560, 0)) {
    if (!shown) dialog.shown = false;
    return;
  }
  draw_request(*dialog.request);
  std::optional<std::string> chosen;
  for (const Choice& choice : choices) {
    if (&choice != choices)
      continue_line(button_width(choice.label), ImGui::GetStyle().ItemSpacing.x);
    const bool needs_bytes =
        choice.answer == TrustAnswer::once || choice.answer == TrustAnswer::file;
    ImGui::BeginDisabled(needs_bytes && dialog.request->sha256.empty());
    if (ImGui::Button(choice.label)) chosen = choice.word;
    ImGui::EndDisabled();
    tooltip(choice.answer == TrustAnswer::folder
                ? fmt::format("{}: {}", choice.help,
                              one_line(dialog.request->file.parent_path().string()))
                : choice.help);
  }
  ImGui::EndPopup();
  if (chosen) try_action(editor, "trust.answer", {*chosen});
}

}  // namespace torsor::editor

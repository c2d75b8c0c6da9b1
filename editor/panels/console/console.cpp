#include "editor/panels/console/console.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cstring>

#include "editor/app/editor.hpp"
#include "editor/app/fonts.hpp"
#include "editor/session/session_options.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/scripting/prompt/prompt.hpp"

namespace torsor::editor {

ConsolePanel::ConsolePanel(const SessionOptions& options) {
  if (!options.journal_folder.empty())
    history = ConsoleHistory(options.journal_folder / "console_history");
  shown = history.size();
}

namespace {

// Runs a chunk of Lua and adds it to the history. The chunk may contain line breaks, also in a file
// of actions: "a\nb".
void run(Editor& editor, const Arguments& arguments) {
  const std::string& chunk = arguments.text(0, "TEXT");
  if (chunk.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error("TEXT is empty; enter Lua code");
  editor.console.run(chunk);
  editor.panel<ConsolePanel>().history.add(chunk);
}

void copy_console(Editor& editor, const Arguments&) {
  std::string text;
  for (const Console::Line& line : editor.console.lines()) text += line.text + "\n";
  ImGui::SetClipboardText(text.c_str());
}

constexpr Action console_action_rows[] = {
    {"console.run", "Run Lua code on the scene and print the result", "TEXT", run},
    {"console.clear", "Clear the console", "",
     [](Editor& e, const Arguments&) { e.console.clear(); }},
    {"console.copy", "Copy the text of the console", "", copy_console},
};

// --- lines ---------------------------------------------------------------------------------------

ImVec4 color_of(Console::Line::Kind kind) {
  static constexpr Shade shades[] = {Shade::accent, Shade::accent, Shade::error, Shade::dim};
  return kind == Console::Line::Kind::output ? ImGui::GetStyle().Colors[ImGuiCol_Text]
                                             : color(shades[int(kind)]);
}

constexpr const char* hint =
    "Type Lua code for the running scene, for example:\n"
    "state.t, ROBOT.q, ROBOT:mass_matrix(), set_q('JOINT', 0.5), step(10), play()";

void draw_lines(Editor& editor, float height) {
  ConsolePanel& panel = editor.panel<ConsolePanel>();
  const bool fresh = panel.revision != editor.console.revision();
  if (fresh) {
    panel.revision = editor.console.revision();
    panel.lines = editor.console.lines();
  }
  ImGui::BeginChild("lines", {0, height}, false, ImGuiWindowFlags_HorizontalScrollbar);
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
  if (panel.lines.empty()) dim_text(hint);
  ImGuiListClipper clipper;
  clipper.Begin(int(panel.lines.size()));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
      const Console::Line& line = panel.lines[size_t(k)];
      const bool input = line.kind == Console::Line::Kind::input;
      ImGui::PushStyleColor(ImGuiCol_Text, color_of(line.kind));
      ImGui::TextUnformatted((input ? "> " + line.text : line.text).c_str());
      ImGui::PopStyleColor();
      if (ImGui::IsItemClicked()) ImGui::SetClipboardText(line.text.c_str());
    }
  if (fresh && at_end) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
}

// --- the prompt ----------------------------------------------------------------------------------

void replace(ConsolePanel& panel, const std::string& text) {
  panel.replacement = text;
}

int edit_callback(ImGuiInputTextCallbackData* data) {
  Editor& editor = *static_cast<Editor*>(data->UserData);
  ConsolePanel& panel = editor.panel<ConsolePanel>();
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    panel.asked.assign(data->Buf, size_t(data->CursorPos));
    editor.console.complete(panel.asked);
    return 0;
  }
  if (const auto text = std::exchange(panel.replacement, std::nullopt)) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, text->c_str());
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  }
  if (const std::string text = std::exchange(panel.insertion, ""); !text.empty())
    data->InsertChars(data->CursorPos, text.c_str());
  return 0;
}

// Returns the longest prefix that all names share.
std::string common_beginning(const std::vector<std::string>& names) {
  std::string out = names[0];
  for (const std::string& name : names)
    out.resize(size_t(std::ranges::mismatch(out, name).in1 - out.begin()));
  return out;
}

void take_completions(Editor& editor) {
  ConsolePanel& panel = editor.panel<ConsolePanel>();
  const auto found = editor.console.take_completions();
  if (!found || found->text != panel.asked) return;
  panel.asked.clear();
  panel.candidates.clear();
  if (found->names.empty()) return;
  const size_t begin = found->text.find_last_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  const size_t length = found->text.size() - (begin == std::string::npos ? 0 : begin + 1);
  panel.insertion = common_beginning(found->names).substr(length);
  if (found->names.size() > 1) panel.candidates = fmt::format("{}", fmt::join(found->names, "  "));
}

// Replaces the input with the previous or next entry of the history on Up or Down. In an input with
// several lines that is not an unchanged entry, these keys only move the cursor.
void browse(ConsolePanel& panel) {
  const bool up = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow)),
             down = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow));
  const ConsoleHistory& history = panel.history;
  const bool browsing = panel.shown < history.size() && history[panel.shown] == panel.input.data();
  if (!browsing) {
    panel.shown = history.size();
    panel.written = panel.input.data();
  }
  if (!(up || down) || (!browsing && std::strchr(panel.input.data(), '\n'))) return;
  const size_t next =
      up ? history.before(panel.shown, panel.written) : history.after(panel.shown, panel.written);
  if (next == panel.shown) return;
  panel.shown = next;
  replace(panel, next == history.size() ? panel.written : history[next]);
}

// Runs the input. If its chunk is incomplete, begins another line instead. An empty last line runs
// the chunk anyway.
void enter(Editor& editor) {
  ConsolePanel& panel = editor.panel<ConsolePanel>();
  const std::string text = panel.input.data();
  panel.focus = true;
  panel.candidates.clear();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  if (is_incomplete(text) && text.back() != '\n') {
    if (text.size() + 2 < panel.input.size()) replace(panel, text + "\n");
    return;
  }
  panel.input[0] = '\0';
  try_action(editor, "console.run", {text});
  panel.shown = panel.history.size();
}

float buttons_width() {
  const ImGuiStyle& style = ImGui::GetStyle();
  return ImGui::CalcTextSize("Clear").x + ImGui::CalcTextSize("Copy").x + 4 * style.FramePadding.x +
         2 * style.ItemSpacing.x;
}

void draw_buttons(Editor& editor) {
  ImGui::SameLine();
  if (editor.console.busy())
    action_button(editor, "Stop", "scene.stop");
  else
    action_button(editor, "Clear", "console.clear");
  ImGui::SameLine();
  action_button(editor, "Copy", "console.copy");
}

void draw_prompt(Editor& editor, float height) {
  ConsolePanel& panel = editor.panel<ConsolePanel>();
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::accent));
  ImGui::TextUnformatted(">");
  ImGui::PopStyleColor();
  ImGui::SameLine();
  if (std::exchange(panel.focus, false)) ImGui::SetKeyboardFocusHere();
  constexpr ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CtrlEnterForNewLine |
      ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackAlways;
  const bool entered =
      ImGui::InputTextMultiline("##prompt", panel.input.data(), panel.input.size(),
                                {-buttons_width(), height}, flags, edit_callback, &editor);
  if (ImGui::IsItemActive()) browse(panel);
  if (ImGui::IsItemEdited()) panel.candidates.clear();
  if (entered) enter(editor);
  draw_buttons(editor);
}

}  // namespace

void ConsolePanel::draw(Editor& editor) {
  ConsolePanel& panel = editor.panel<ConsolePanel>();
  take_completions(editor);
  const int frame = ImGui::GetFrameCount();
  if (frame > std::exchange(panel.drawn, frame) + 1 && frame > 2)
    panel.focus = true;  // the panel was brought to the front
  const bool stopped = editor.console.busy() &&
                       ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
                       ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false);
  if (stopped) try_action(editor, "scene.stop");
  ImGui::PushFont(fixed_font());
  const ImGuiStyle& style = ImGui::GetStyle();
  constexpr long most_rows = 8;
  const long rows = std::min(
      most_rows, 1 + std::count(panel.input.data(), std::strchr(panel.input.data(), '\0'), '\n'));
  const float prompt = ImGui::GetTextLineHeight() * float(rows) + 2 * style.FramePadding.y;
  const float candidates = panel.candidates.empty() ? 0 : ImGui::GetTextLineHeightWithSpacing();
  draw_lines(editor,
             std::max(ImGui::GetTextLineHeight(), ImGui::GetContentRegionAvail().y - prompt -
                                                      candidates - style.ItemSpacing.y));
  if (!panel.candidates.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
    clipped_text(panel.candidates, ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
  }
  draw_prompt(editor, prompt);
  if (stopped) panel.focus = true;  // Esc has taken the keyboard focus from the prompt
  ImGui::PopFont();
}

std::span<const Action> ConsolePanel::actions() {
  return console_action_rows;
}

}  // namespace torsor::editor

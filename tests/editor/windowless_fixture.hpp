#pragma once
// A fixture for the complete window, which ImGui draws without a display.

#include <imgui.h>

#include <algorithm>
#include <optional>

#include "editor/app/editor.hpp"
#include "editor/app/fonts.hpp"
#include "editor/app/layout.hpp"
#include "editor/app/panes.hpp"
#include "editor/session_fixture.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor::test {

class WindowlessTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    ImGui::GetIO().DisplaySize = {1280, 800};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    load_fonts(1);
    apply_theme(true, 1);
  }
  void TearDown() override {
    editor_.reset();
    ImGui::DestroyContext();
    SessionTest::TearDown();
  }

  void open(const std::filesystem::path& file) {
    editor_.emplace(shipped_plugins(), SessionOptions{file, {}, {}}, Settings{});
    settle();
  }
  void settle() {
    EXPECT_TRUE(eventually([&] { return editor_->session.idle(); }));
    frame();
  }
  void frame() {
    ImGui::NewFrame();
    editor_->begin_frame();
    draw_window(*editor_);
    ImGui::Render();
  }
  // Brings the k-th panel of each pane to the front. Only these panels are drawn.
  void bring_forward(size_t k) {
    for (const Pane pane : all_panes) {
      std::vector<const PanelRow*> tabs;
      for (const PanelRow& row : panel_rows())
        if (row.pane == pane) tabs.push_back(&row);
      if (!tabs.empty()) bring_to_front(editor_->settings, *tabs[std::min(k, tabs.size() - 1)]);
    }
  }
  static size_t most_tabs() {
    size_t most = 0;
    for (const Pane pane : all_panes)
      most = std::max(most, size_t(std::ranges::count(panel_rows(), pane, &PanelRow::pane)));
    return most;
  }
  void every_panel() {
    for (size_t k = 0; k < most_tabs(); ++k) {
      bring_forward(k);
      for (int n = 0; n < 3; ++n) frame();
    }
  }
  void press(Shortcut key) {
    editor_->keys.push_back(key);
    frame();
    settle();
  }
  void type(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    for (int k = 0; k < 3; ++k) frame();
  }
  // Presses and releases a key in ImGui. The key must be in the KeyMap of ImGuiIO.
  void strike(int key) {
    ImGui::GetIO().KeysDown[key] = true;
    frame();
    ImGui::GetIO().KeysDown[key] = false;
    for (int k = 0; k < 3; ++k) frame();
  }
  void point_at(ImVec2 at) {
    ImGui::GetIO().MousePos = at;
    for (int k = 0; k < 2; ++k) frame();
  }
  void click(ImVec2 at) {
    point_at(at);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    ImGui::GetIO().MouseDown[0] = false;
    for (int k = 0; k < 2; ++k) frame();
  }

  std::optional<Editor> editor_;
};

}  // namespace torsor::editor::test

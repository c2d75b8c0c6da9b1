// Tests of drawn text: line breaks, and characters that are cut off by the edges of panels.

#include "editor/drawn_text.hpp"

#include <gmock/gmock.h>

#include "editor/windowless_fixture.hpp"

namespace torsor::editor::test {
namespace {

using DrawnTextTest = WindowlessTest;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out{""};
  for (const char c : text)
    if (c == '\n')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

TEST_F(DrawnTextTest, LinesBreakAtSpacesAndFit) {
  ImGui::NewFrame();
  const std::string text = "cond M = 1.2345e+06, at t = 0.6789 s; 3.14159, -2.71828 rad/s^2";
  const float longest_word = ImGui::CalcTextSize("1.2345e+06,").x + 1;
  for (float width = longest_word; width < 600; width += 3) {
    const std::string wrapped = wrap_at_spaces(text, width);
    for (const std::string& line : lines_of(wrapped))
      EXPECT_LE(ImGui::CalcTextSize(line.c_str()).x, width + 1) << line;
    std::string joined = wrapped;
    std::ranges::replace(joined, '\n', ' ');
    EXPECT_EQ(joined, text) << width;
  }
  EXPECT_EQ(wrap_at_spaces(text, ImGui::CalcTextSize(text.c_str()).x), text) << "it just fits";
  EXPECT_EQ(wrap_at_spaces("a\n\n  b\n", 2000), "a\n\n  b\n") << "its own line breaks stay";
  EXPECT_EQ(wrap_at_spaces("", 100), "");
  ImGui::EndFrame();
}

TEST_F(DrawnTextTest, OnlyWordsWiderThanALineAreSplit) {
  ImGui::NewFrame();
  const std::string path = "/home/someone/θθθθ/robots/arm.lua:12";
  for (const float width : {0.5f, 20.0f, 60.0f, 100.0f}) {
    std::string joined;
    for (const std::string& line : lines_of(wrap_at_spaces(path, width))) {
      EXPECT_FALSE(line.empty());
      EXPECT_NE(line[0] & 0xc0, 0x80) << "inside a character of UTF-8";
      joined += line;
    }
    EXPECT_EQ(joined, path);
  }
  ImGui::EndFrame();
}

// Draws a number after words of many lengths, so that some place it at the end of a line.
TEST_F(DrawnTextTest, NumbersInMessagesStayOnOneLine) {
  open(write("arm.lua", pendulum_scene));
  for (size_t length = 1; length < 120; length += 3) {
    run_action(*editor_, "problems.clear");
    run_action(*editor_, "window.dismiss");
    editor_->session.post(
        command::Report{{Problem::Kind::error, std::string(length, 'a') + " 0.123456789"}});
    settle();
    frame();
    for (const char* window : {"Problems", "##toast"}) {
      const auto all = drawn_characters(window);
      const auto number = find_drawn(all, "0.123456789");
      ASSERT_FALSE(number.empty()) << window << " " << length;
      EXPECT_LT(number.back().high.y - number.front().high.y, ImGui::GetFontSize() / 2)
          << window << " " << length;
    }
  }
}

TEST_F(DrawnTextTest, AClickOnAPlaceCopiesIt) {
  const auto file = write("arm.lua", "local x = = 1");
  open(file);
  frame();
  for (const char* window : {"Problems", "##toast"}) {
    ImGui::SetClipboardText("");
    const auto all = drawn_characters(window);
    const auto place = find_drawn(all, "arm.lua:1");
    ASSERT_FALSE(place.empty()) << window;
    click({place.front().low.x + 1, place.front().high.y - 1});
    EXPECT_EQ(std::string(ImGui::GetClipboardText()), file.string() + ":1") << window;
  }
}

TEST_F(DrawnTextTest, ValuesInTheInspectorAreNotCutOff) {
  open(write("arm.lua", pendulum_scene));
  run_action(*editor_, "scene.select", {"link", "tip"});
  for (int k = 0; k < 4; ++k) frame();  // the table needs some frames to measure its columns
  for (float width = 1000; width < 1400; width += 2) {
    ImGui::GetIO().DisplaySize.x = width;
    for (int k = 0; k < 2; ++k) frame();
    const auto all = drawn_characters("Inspector");
    ASSERT_FALSE(find_drawn(all, "Position").empty());
    EXPECT_TRUE(std::ranges::none_of(all, &DrawnCharacter::cut_off)) << width;
  }
}

TEST_F(DrawnTextTest, ButtonsOfANarrowPlotAreNotCutOff) {
  open(write("arm.lua", pendulum_scene));
  run_action(*editor_, "panel.move", {"plots", "right_top"});
  for (float part = 0.09f; part < 0.45f; part += 0.01f) {
    editor_->settings.right = part;
    for (int k = 0; k < 3; ++k) frame();
    const auto legend = drawn_characters("/legend");
    ASSERT_FALSE(find_drawn(legend, "Xaxis+").empty()) << part;
    for (const auto& each : find_drawn(legend, "Xaxis+")) EXPECT_FALSE(each.cut_off) << part;
    const auto cross = std::ranges::find(legend, 0xd7u, &DrawnCharacter::code);
    ASSERT_NE(cross, legend.end()) << part;
    EXPECT_FALSE(cross->cut_off) << part;
  }
}

}  // namespace
}  // namespace torsor::editor::test

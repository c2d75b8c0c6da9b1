// Tests of the plots panel without a window: its actions, contents and saved files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <fstream>
#include <sstream>

#include "editor/app/editor.hpp"
#include "editor/app/fonts.hpp"
#include "editor/app/layout.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/panels/plots/plots.hpp"
#include "editor/plot/phase.hpp"
#include "editor/plugins.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_options.hpp"
#include "editor/states.hpp"
#include "editor/widgets/widgets.hpp"
#include "support/error_of.hpp"
#include "support/eventually.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* scene_text = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0} },
          inertia = { mass = 1, com = {0, 0, -0.5}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.01 } } }
arm:set{ q = {1.0} }
local world = torsor.world{}
world:add(arm)
return world:experiment{ solver = "articulated_body", compare = { "newton_euler" }, integrator = { "rk4", dt = 1e-3 },
                         duration = 0.2, record = { "arm.v", "energy" } }
)";

class PlotsPanelTest : public testing::Test {
 protected:
  PlotsPanelTest() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "arm.lua") << scene_text;
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    ImGui::GetIO().DisplaySize = {1280, 800};
    load_fonts(1);
    apply_theme(true, 1);
    editor_.emplace(shipped_plugins(), SessionOptions{folder_ / "arm.lua", {}, {}}, Settings{});
    settle();
    frame();
  }
  ~PlotsPanelTest() override {
    editor_.reset();
    ImGui::DestroyContext();
  }

  Editor& editor() { return *editor_; }
  PlotsPanel& panel() { return editor_->panel<PlotsPanel>(); }
  void run(std::string_view action, const Arguments& arguments = {}) {
    run_action(editor(), action, arguments);
    settle();
  }
  // Waits until all commands are done.
  void settle() {
    EXPECT_TRUE(torsor::test::eventually([&] { return editor_->session.idle(); }));
    editor_->begin_frame();
  }
  void frame() {
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    editor_->begin_frame();
    draw_window(*editor_);
    ImGui::Render();
  }
  std::vector<Diagram> sampled_diagrams(double readout) {
    editor_->request_samples();
    EXPECT_TRUE(editor_->sampler.wait(std::chrono::seconds(60)));
    return diagrams(*editor_, readout);
  }
  std::string error_of(std::string_view action, const Arguments& arguments) {
    return torsor::test::error_of([&] { run(action, arguments); });
  }

  // The folder is different for each test, because tests run at the same time.
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / "torsor_plots" /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::optional<Editor> editor_;
};

TEST_F(PlotsPanelTest, ShowsFirstWhatTheSceneRecordsFirst) {
  ASSERT_EQ(panel().plots.size(), 1u);
  EXPECT_THAT(panel().plots[0].signals, ElementsAre("arm.v"));
}

TEST_F(PlotsPanelTest, SignalsAndColumnsComeAndGo) {
  run("plot.add", {"arm.q"});
  run("plot.add", {"energy.error", "2"});
  run("plot.add", {"arm.pose.rod", "2"});
  EXPECT_THAT(panel().plots[1].signals, ElementsAre("arm.q", "energy.error", "arm.pose.rod"));
  EXPECT_THAT(panel().wanted_signals(*editor_),
              ElementsAre("arm.v", "arm.q", "energy", "arm.pose.rod"));
  frame();
  run("plot.remove", {"2", "arm.q"});
  EXPECT_THAT(panel().plots[1].signals, ElementsAre("energy.error", "arm.pose.rod"));
  run("plot.remove", {"1"});
  EXPECT_EQ(panel().plots.size(), 1u);
  run("plot.clear");
  EXPECT_TRUE(panel().plots.empty());
  frame();
}

TEST_F(PlotsPanelTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(error_of("plot.add", {"arm.Q"}),
              HasSubstr("there is no signal 'arm.Q'; did you mean 'arm.q'?"));
  EXPECT_THAT(error_of("plot.add", {"arm.q", "2"}), HasSubstr("INDEX is 2; use 1 to 1"));
  EXPECT_THAT(error_of("plot.add", {"arm.q", "0.5"}), HasSubstr("INDEX is 0.5"));
  EXPECT_THAT(error_of("plot.add", {"arm.v", "1"}), HasSubstr("shows 'arm.v' already"));
  EXPECT_THAT(error_of("plot.add", {}), HasSubstr("SIGNAL is missing"));
  EXPECT_THAT(error_of("plot.remove", {"1", "arm.q"}), HasSubstr("the plot has no signal 'arm.q'"));
  EXPECT_THAT(error_of("plot.zoom", {"2", "1"}), HasSubstr("TO must be later"));
  EXPECT_THAT(error_of("plot.save", {"plots.pdf"}), HasSubstr("must end in .csv or .png"));
  EXPECT_THAT(error_of("plot.save", {"/proc/none/a.csv"}), HasSubstr("cannot write"));
  run("plot.clear");
  EXPECT_THAT(error_of("plot.remove", {"1"}), HasSubstr("there is no plot"));
  EXPECT_THAT(error_of("plot.save", {"a.csv"}), HasSubstr("no signal"));
}

TEST_F(PlotsPanelTest, UnitsHaveDiagramsOfTheirOwn) {
  run("plot.add", {"arm.twist.rod"});
  run("plot.add", {"arm.q", "2"});
  run("time.go", {"0.1"});
  const std::vector<Diagram> all = sampled_diagrams(0.05);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].unit, "rad/s");
  EXPECT_EQ(all[1].unit, "rad/s");
  EXPECT_EQ(all[2].unit, "m/s");
  EXPECT_EQ(all[3].unit, "rad");
  EXPECT_EQ(all[1].plot, 1u);
  ASSERT_EQ(all[2].entries.size(), 3u);
  EXPECT_EQ(all[2].entries[0].column().name, "arm.twist.rod.vx");
  EXPECT_EQ(curves(editor(), all[2], 500).at(0).line.points.size(), 101u);
}

TEST_F(PlotsPanelTest, TheReadoutIsTheNearestKeptState) {
  run("time.go", {"0.1"});
  editor().sampler.request(editor().now, {"arm.v"});
  ASSERT_TRUE(editor().sampler.wait(std::chrono::seconds(60)));
  double expected = 0;
  editor().sampler.read("arm.v", [&](const Samples& samples) { expected = samples.values[0][37]; });
  const std::vector<Diagram> all = sampled_diagrams(0.0372);
  EXPECT_EQ(all.at(0).entries.at(0).value, expected);
  EXPECT_DOUBLE_EQ(kept_time(editor(), 0.0372), 0.037);
  EXPECT_DOUBLE_EQ(kept_time(editor(), 9), 0.1);
  EXPECT_DOUBLE_EQ(kept_time(editor(), -9), 0);
}

TEST_F(PlotsPanelTest, CsvHasTheColumnsWithTheirUnits) {
  run("plot.add", {"energy.kinetic", "1"});
  run("plot.add", {"arm.v"});  // already in a plot: the file has its column once
  run("time.go", {"0.15"});
  run("plot.save", {(folder_ / "out/plots.csv").string()});
  std::ifstream in(folder_ / "out/plots.csv");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "time [s],arm.v.hinge [rad/s],energy.kinetic [J]");
  int rows = 0;
  double time = -1;
  while (std::getline(in, line)) {
    ++rows;
    time = std::stod(line);
  }
  EXPECT_EQ(rows, 151);
  EXPECT_DOUBLE_EQ(time, 0.15);
  run("plot.zoom", {"0.0495", "0.1"});  // the visible part
  run("plot.save", {(folder_ / "seen.csv").string(), "2"});
  std::ifstream seen(folder_ / "seen.csv");
  rows = 0;
  while (std::getline(seen, line)) ++rows;
  EXPECT_EQ(rows, 1 + 51);
  run("plot.save", {(folder_ / "second.csv").string(), "2"});
  std::ifstream second(folder_ / "second.csv");
  std::getline(second, line);
  EXPECT_EQ(line, "time [s],arm.v.hinge [rad/s]");
}

TEST_F(PlotsPanelTest, PicturesAreOfWhatIsToBeSeen) {
  frame();
  run("plot.save", {"plots.png", "1"});
  ASSERT_TRUE(editor().screenshot);
  EXPECT_GT(editor().screenshot->width, 200);
  EXPECT_GT(editor().screenshot->height, 80);
  editor().screenshot.reset();
  for (int k = 0; k < 8; ++k) run("plot.add", {"arm.q"});
  frame();
  frame();
  EXPECT_THAT(error_of("plot.save", {"plots.png", "9"}), HasSubstr("only partly visible"));
  run("panel.show", {"plots", "off"});
  EXPECT_THAT(error_of("plot.save", {"plots.png"}), HasSubstr("panel.show plots"));
}

TEST_F(PlotsPanelTest, ZoomAndFit) {
  run("plot.zoom", {"0.05", "0.1"});
  EXPECT_EQ(shown_time(editor()), (Range{0.05, 0.1}));
  panel().plots[0].value["rad/s"] = {0, 1};
  run("plot.fit");
  EXPECT_EQ(shown_time(editor()), (Range{0, 0.2}));
  EXPECT_TRUE(panel().plots[0].value.empty());
}

TEST_F(PlotsPanelTest, TwoCursorsShowWhatLiesBetween) {
  run("time.go", {"0.1"});
  run("plot.measure", {"0.0204", "0.07"});
  EXPECT_DOUBLE_EQ(panel().measured->first, 0.02);
  const std::vector<Diagram> all = sampled_diagrams(0);
  editor().sampler.read("arm.v", [&](const Samples& samples) {
    const auto between = all.at(0).entries.at(0).between;
    ASSERT_TRUE(between);
    EXPECT_EQ(between->first, samples.values[0][20]);
    EXPECT_EQ(between->second, samples.values[0][70]);
  });
  frame();
  EXPECT_THAT(error_of("plot.measure", {"1", "1"}), HasSubstr("choose two different times"));
  run("plot.measure");
  EXPECT_FALSE(panel().measured);
}

TEST_F(PlotsPanelTest, APhasePortraitIsOfTheSameStates) {
  run("time.go", {"0.1"});
  run("plot.over", {"1", "arm.q"});
  EXPECT_THAT(panel().wanted_signals(*editor_), ElementsAre("arm.v", "arm.q"));
  const Entry entry = sampled_diagrams(0).at(0).entries.at(0);
  EXPECT_EQ(entry.x_signal->columns[entry.x_index].name, "arm.q.hinge");
  // The axes are so long that no two samples share a pixel, so all are drawn. With
  // k = g m l / I = 9.81 * 0.5 / 0.35, the energy v^2 / 2 - k cos q is constant.
  const Axis x{{0, 1}, 0, 1e9f}, y{{-1, 1}, 1e9f, 0};
  editor().sampler.read_both("arm.v", "arm.q", [&](const Samples& v, const Samples& q) {
    const auto points = phase_points(v.time, q.values[0], v.values[0], {0, v.time.size()}, x, y);
    ASSERT_EQ(points.size(), 101u);
    const double k = 9.81 * 0.5 / 0.35;
    for (const PhasePoint& point : points)
      EXPECT_NEAR(point.y * point.y / 2 - k * std::cos(point.x), -k * std::cos(1.0), 1e-9)
          << point.time;
  });
  frame();
  run("plot.equal", {"1", "on"});
  frame();
  EXPECT_THAT(error_of("plot.over", {"1", "arm.Q"}), HasSubstr("did you mean 'arm.q'?"));
  run("plot.over", {"1", "arm.pose.rod"});
  EXPECT_THAT(
      sampled_diagrams(0).at(0).troubles,
      ElementsAre(
          "arm.v cannot be plotted over arm.pose.rod, which has 7 columns; choose one of them"));
  run("plot.over", {"1", "time"});
  EXPECT_THAT(error_of("plot.equal", {"1", "on"}), HasSubstr("plot.over"));
}

// Draws one minute of samples at 1 kHz: 14 columns over time, and 13 columns over another one. The
// number of vertices, which takes the time of a frame, must depend on the pixels and not on the
// samples.
TEST_F(PlotsPanelTest, AMinuteIsDrawnWithFewVertices) {
  run("plot.add", {"arm.pose.rod", "1"});
  run("plot.add", {"arm.twist.rod", "1"});
  run("time.go", {"60"});
  for (const char* what : {"over time", "over arm.q"}) {
    if (what[5] == 'a') run("plot.over", {"1", "arm.q.hinge"});
    editor().request_samples();
    ASSERT_TRUE(editor().sampler.wait(std::chrono::seconds(60)));
    ImGui::NewFrame();
    editor().begin_frame();
    ImGui::SetNextWindowSize({640, 400});
    ImGui::Begin("plots");
    editor().panel<PlotsPanel>().draw(editor());
    ImGui::End();
    ImGui::Render();
    const int vertices = ImGui::GetDrawData()->TotalVtxCount;
    std::printf("14 columns of 60001 samples, %s: %d vertices\n", what, vertices);
    EXPECT_GT(vertices, 14 * 100) << what;
    EXPECT_LT(vertices, 14 * 640 * 4) << what;  // four vertices for each pixel of the width
  }
}

TEST(PhasePortrait, EqualUnitsAreAsLongOnBothAxes) {
  Axis x{{0, 10}, 100, 300}, y{{-1, 1}, 200, 100};
  make_equal(x, y);
  EXPECT_EQ(x.range, (Range{0, 10}));
  EXPECT_NEAR((x.pixel(3) - x.pixel(2)) / (y.pixel(2) - y.pixel(3)), 1, 1e-5);
}

// Checks a plot after a reload of the scene without one of its signals: it names the signal.
TEST_F(PlotsPanelTest, MissingSignalsAreNamedAfterAReload) {
  run("plot.add", {"compare.vdot", "1"});
  std::string text = scene_text;
  text.replace(text.find("compare = { \"newton_euler\" }, "), 30, "");
  std::ofstream(folder_ / "arm.lua") << text;
  run("scene.reload");
  frame();
  const std::vector<Diagram> all = sampled_diagrams(0);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].troubles, ElementsAre("'compare.vdot' is not a signal of this scene"));
  EXPECT_TRUE(all[0].entries.at(0).sampled);
}

}  // namespace
}  // namespace torsor::editor::test

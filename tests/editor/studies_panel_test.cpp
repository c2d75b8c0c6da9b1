// Tests of the panel of studies without a window.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include <chrono>
#include <cstdlib>

#include "editor/drawn_text.hpp"
#include "editor/panels/studies/studies.hpp"
#include "editor/study_table.hpp"
#include "editor/windowless_fixture.hpp"
#include "support/error_of.hpp"
#include "torsor/cli/study/study_sample.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using torsor::test::error_of;

class StudiesPanelTest : public WindowlessTest {
 protected:
  std::filesystem::path file() const { return folder_ / "arm-study.h5"; }
  StudiesPanel& panel() { return editor_->panel<StudiesPanel>(); }
  void start() { open(""); }
  void run(std::string_view action, const Arguments& arguments = {}) {
    run_action(*editor_, action, arguments);
    finish();
  }
  // Draws frames until all requests are complete.
  void finish() {
    EXPECT_TRUE(eventually([&] {
      frame();
      return editor_->idle();
    }));
    for (int k = 0; k < 3; ++k) frame();
  }
  static bool shows(std::string_view text) {
    return !find_drawn(drawn_characters("Studies"), text).empty();
  }
  // Returns the middle of a text that is drawn in the panel.
  static ImVec2 middle_of(std::string_view text) {
    const auto all = drawn_characters("Studies");
    const auto found = find_drawn(all, text);
    if (found.empty()) {
      ADD_FAILURE() << text << " is not drawn";
      return {};
    }
    return {(found.front().low.x + found.back().high.x) / 2,
            (found.front().low.y + found.front().high.y) / 2};
  }
  std::vector<uint32_t> order() { return panel().shown()->second.order; }
};

TEST_F(StudiesPanelTest, ATableIsOpenedAndDrawn) {
  write_study(file(), 12, 11);
  start();
  run("scene.open", {file().string()});
  EXPECT_TRUE(in_front(editor_->settings, panel_row("studies")));
  EXPECT_THAT(editor_->settings.recent, ElementsAre(file().string()));
  EXPECT_TRUE(shows("arm-study.h5"));
  EXPECT_TRUE(shows("11of12sampleshaveresults"));
  EXPECT_TRUE(shows("payload[kg]"));
  EXPECT_TRUE(shows("1failed"));
  EXPECT_TRUE(shows("1of11runsfailed"));
  EXPECT_FALSE(editor_->has_scene());
  EXPECT_THAT(problems(*editor_->now), IsEmpty());
}

TEST_F(StudiesPanelTest, ADroppedTableIsOpened) {
  write_study(file(), 12, 12);
  start();
  editor_->dropped = {file().string()};
  finish();
  ASSERT_TRUE(panel().data());
  EXPECT_EQ(panel().data()->rows(), 12u);
}

TEST_F(StudiesPanelTest, AnOpenSceneStays) {
  write_study(file(), 12, 12);
  open(write("arm.lua", pendulum_scene));
  const auto scene = editor_->now->scene;
  run("study.open", {file().string()});
  EXPECT_EQ(editor_->now->scene, scene);
}

TEST_F(StudiesPanelTest, ClicksOnAHeadSort) {
  write_study(file(), 12, 12);
  start();
  run("study.open", {file().string()});
  click(middle_of("payload[kg]"));
  finish();
  EXPECT_EQ(panel().rows.sorted, "payload");
  EXPECT_FALSE(panel().rows.descending);
  click(middle_of("payload[kg]"));
  finish();
  EXPECT_TRUE(panel().rows.descending);
  EXPECT_EQ(order().front(), 11u);
  run("study.sort", {"peak", "ascending"});
  EXPECT_EQ(order().front(), 3u);
}

TEST_F(StudiesPanelTest, RowsAreFilteredByConditionsAndStatuses) {
  write_study(file(), 30, 30);
  start();
  run("study.open", {file().string()});
  run("study.filter", {"peak < 5"});
  EXPECT_THAT(order(), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(shows("30samples,5match"));
  run("study.filter");
  run("study.status", {"done", "off"});
  EXPECT_THAT(order(), ElementsAre(7, 8, 17, 18, 27, 28));
  run("study.status", {"undefined"});
  EXPECT_THAT(order(), ElementsAre(7, 17, 27));
  EXPECT_EQ(panel().picture.value()->points, 0u) << "failed samples have no peak";
  EXPECT_TRUE(shows("Nosampleondisplayhasavalueof'peak'."));
  // An invalid text stays in the field with its error, and the rows stay.
  panel().typed_filter = "peek > 1";
  finish();
  EXPECT_TRUE(shows("nocolumn'peek'"));
  EXPECT_THAT(order(), ElementsAre(7, 17, 27));
}

TEST_F(StudiesPanelTest, ErrorsOfActionsAreExplained) {
  start();
  const auto why = [&](std::string_view action, const Arguments& arguments) {
    return error_of([&] { run_action(*editor_, action, arguments); });
  };
  EXPECT_THAT(why("study.sort", {"peak"}), HasSubstr("no study is open"));
  EXPECT_THAT(why("study.open", {"none.h5"}), HasSubstr("there is no such file"));
  write_study(file(), 12, 11);
  run("study.open", {file().string()});
  EXPECT_THAT(why("study.sort", {"peek"}), HasSubstr("did you mean 'peak'?"));
  EXPECT_THAT(why("study.sort", {"peak", "up"}), HasSubstr("use ascending or descending"));
  EXPECT_THAT(why("study.filter", {"peek > 2"}), HasSubstr("did you mean 'peak'?"));
  EXPECT_THAT(why("study.select", {"12"}), HasSubstr("no sample 12; its samples are 0 to 11"));
  EXPECT_THAT(why("study.plot", {"pie"}), HasSubstr("use histogram, scatter or bands"));
  EXPECT_THAT(why("study.sample", {}), HasSubstr("no sample is selected"));
  EXPECT_THAT(why("study.sample", {"3"}), HasSubstr("does not name its scene"));
  EXPECT_THAT(why("study.scene", {}), HasSubstr("does not name its scene"));
}

TEST_F(StudiesPanelTest, AMissingSceneIsNamed) {
  write_study(file(), 12, 11, R"({"scene":"scenes/gone.lua","settings":{}})");
  start();
  run("study.open", {file().string()});
  EXPECT_THAT(error_of([&] { run_action(*editor_, "study.sample", {"3"}); }),
              HasSubstr("its scene 'scenes/gone.lua' was not found"));
  const std::string scene = write("other.lua", pendulum_scene).string();
  EXPECT_THAT(error_of([&] {
                run_action(*editor_, "study.sample", {"11", scene});
              }),
              HasSubstr("sample 11 has not been run"));
}

TEST_F(StudiesPanelTest, FilesThatAreNoTablesAreExplained) {
  start();
  const auto error_for = [&](const std::filesystem::path& bad) {
    run("study.open", {bad.string()});
    EXPECT_EQ(std::ranges::count(panel().table.error(), '\n'), 0);
    return panel().table.error();
  };
  EXPECT_THAT(error_for(write("text.h5", "no table")), HasSubstr("not a study: not an HDF5 file"));
  EXPECT_TRUE(shows("notastudy:notanHDF5file"));
  EXPECT_THAT(error_for(write("empty.h5", "")), HasSubstr("not a study"));
  write_study(file(), 200, 200);
  const std::string whole = text_of(file());
  for (const size_t length : {size_t(100), whole.size() / 2, whole.size() - 1})
    EXPECT_THAT(error_for(write("cut-study.h5", whole.substr(0, length))),
                HasSubstr("not a study"));
  // The window recognises a damaged table by its name.
  run("scene.open", {(folder_ / "cut-study.h5").string()});
  EXPECT_THAT(panel().table.error(), HasSubstr("cut-study.h5: not a study"));
  // A table that is read afterwards removes the error.
  EXPECT_EQ(error_for(file()), "");
}

// Any damage of a byte gives an error, or rows that count as not run. The sanitizers check the
// rest.
TEST_F(StudiesPanelTest, DamagedTablesAreReadOrExplained) {
  write_study(file(), 20, 20);
  const std::string whole = text_of(file());
  const auto bad = folder_ / "bad-study.h5";
  for (size_t at = 0; at < whole.size(); at += 97) {
    std::string bytes = whole;
    bytes[at] = char(~bytes[at]);
    write("bad-study.h5", bytes);
    try {
      const auto data = read_study(bad);
      EXPECT_EQ(data->rows(), 20u);
      (void)select_rows(*data, {.filter = "", .sorted = "peak"});
    } catch (const Error&) {
    }
  }
}

TEST_F(StudiesPanelTest, ATableThatGrowsIsReadAgain) {
  StudyTable table = StudyTable::create(file(), study_layout(50));
  write_rows(table, 0, 10);
  start();
  run("study.open", {file().string()});
  run("study.select", {"4"});
  EXPECT_TRUE(shows("10of50sampleshaveresults"));
  write_rows(table, 10, 30);
  EXPECT_TRUE(eventually([&] {
    frame();
    return panel().data()->n_results() == 30;
  })) << panel().data()->n_results();
  finish();
  EXPECT_TRUE(shows("30of50sampleshaveresults"));
  EXPECT_EQ(panel().selected, 4u);
  write_rows(table, 30, 50);
  run("study.reload");
  EXPECT_EQ(panel().data()->n_results(), 50u);
}

TEST_F(StudiesPanelTest, AClickOnAPointSelectsItsRow) {
  write_study(file(), 60, 60);
  start();
  ImGui::GetIO().DisplaySize = {1600, 1000};
  run("study.open", {file().string()});
  run("study.over", {"payload"});
  run("study.plot", {"scatter"});
  ASSERT_FALSE(panel().cells.cells.empty());
  const ScatterCell cell = panel().cells.cells[20];
  click({cell.x, cell.y});
  finish();
  EXPECT_EQ(panel().selected, panel().data()->sample(cell.row));
}

TEST_F(StudiesPanelTest, EveryDiagramIsDrawn) {
  write_study(file(), 500, 450);
  start();
  run("study.open", {file().string()});
  run("study.select", {"30"});
  for (const ImVec2 size : {ImVec2(640, 480), ImVec2(1280, 800), ImVec2(2560, 1440)}) {
    ImGui::GetIO().DisplaySize = size;
    for (const char* diagram : {"histogram", "scatter", "bands"}) {
      run("study.plot", {diagram});
      for (const char* x : {"sample", "payload", "law", "status", "peak", "wall_time"})
        for (const char* y : {"peak", "reached", "law", "wall_time", "payload"}) {
          run_action(*editor_, "study.over", {x});
          run_action(*editor_, "study.outcome", {y});
          EXPECT_TRUE(eventually([&] {
            frame();
            return editor_->idle();
          }));
          frame();
        }
    }
  }
}

// ImGui's tables have at most 64 columns, and a study 500.
TEST_F(StudiesPanelTest, AWideTableShowsSomeOfItsColumns) {
  StudyLayout layout = study_layout(5);
  layout.outcomes.clear();
  for (int k = 0; k < 300; ++k) layout.outcomes.push_back({fmt::format("outcome{}", k), "m"});
  {
    StudyTable table = StudyTable::create(file(), layout);
    for (uint64_t k = 0; k < 5; ++k) {
      SampleRow row = study_row(k);
      row.outcomes.assign(300, double(k));
      table.write(k, row);
    }
  }
  start();
  run("study.open", {file().string()});
  EXPECT_TRUE(shows("60of305columns"));
  run("study.columns", {"outcome123"});
  EXPECT_FALSE(shows("60of305columns"));
  EXPECT_TRUE(shows("outcome123[m]"));
  run("study.filter", {"outcome299 > 2"});
  EXPECT_THAT(order(), ElementsAre(3, 4));
}

// Returns a scene whose parameters have distributions. Its hinge starts at an angle.
std::string study_scene() {
  std::string text = replaced(pendulum_scene, "local arm =", R"(local p = torsor.params{
  angle = torsor.uniform(0.5, 2.5, { unit = "rad" }),
  damping = torsor.choice{ 0.1, 0.2 },
}
local arm =)");
  text = replaced(text, "damping = 0.1 }", "damping = p.damping }");
  text = replaced(text, "q = {2.0, 0.1}", "q = {p.angle, 0.1}");
  return replaced(text, "record_interval = 0.01 }", R"(record_interval = 0.01,
  outcome = { function(run)
    if p.angle > 2 then error("too far") end
    return { last = run:final("arm.q.hinge") }
  end, units = { last = "rad" } } })");
}

class StudySampleTest : public StudiesPanelTest {
 protected:
  void SetUp() override {
    StudiesPanelTest::SetUp();
    scene_ = write("arm.lua", study_scene());
    const std::string command = fmt::format(
        "cd '{}' && '{}' study arm.lua --samples 12 --dt 0.002 --out arm-study.h5 "
        ">study.out 2>&1",
        folder_.string(), TORSOR_PROGRAM);
    ASSERT_EQ(std::system(command.c_str()), 0) << text_of(folder_ / "study.out");
  }
  SampleRow row(uint64_t sample) const { return StudyReader(file()).read(sample, 1).at(0); }
  std::optional<uint64_t> sample_with(SampleStatus status) const {
    for (uint64_t k = 0; k < 12; ++k)
      if (row(k).status == status) return k;
    return std::nullopt;
  }

  std::filesystem::path scene_;
};

TEST_F(StudySampleTest, ADoubleClickRepeatsTheRunToTheBit) {
  start();
  run("study.open", {file().string()});
  EXPECT_TRUE(shows("angle[rad]"));
  const auto sample = sample_with(SampleStatus::done);
  ASSERT_TRUE(sample);
  const StudyData& data = *panel().data();
  const ImVec2 at = middle_of(data.text(data.require("angle"), *sample));
  click(at);
  EXPECT_EQ(panel().selected, sample);
  EXPECT_FALSE(editor_->has_scene());
  click(at);
  finish();
  ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
  EXPECT_EQ(editor_->dt(), 0.002) << "the study had --dt";
  EXPECT_TRUE(in_front(editor_->settings, panel_row("view"))) << "the table covered the robot";
  run("panel.show", {"studies"});
  EXPECT_TRUE(shows(fmt::format("Thesceneissample{}.", *sample)));
  EXPECT_EQ(problems(*editor_->now), "");
  run("time.go", {"0.5"});
  EXPECT_EQ(state_hash(editor_->now->state), row(*sample).state_hash);
  EXPECT_TRUE(shows("Itsfinalstateisthatofthestudytothebit."));
  run("edit.torque", {"hinge", "1"});
  run("time.go", {"0.5"});
  EXPECT_FALSE(shows("Itsfinalstate")) << "the run was edited";
}

TEST_F(StudySampleTest, AnotherSampleReplacesTheScene) {
  start();
  run("study.open", {file().string()});
  run("study.sample", {"1"});
  const auto first = editor_->now->scene;
  ASSERT_TRUE(first);
  run("study.select", {"2"});
  run("study.sample");
  ASSERT_TRUE(editor_->has_scene());
  EXPECT_NE(editor_->now->scene, first);
  EXPECT_THAT(editor_->scene().sample->name, testing::EndsWith("arm-study.h5:2"));
  EXPECT_NE(editor_->scene().experiment.q, first->experiment.q);
  run("study.scene");
  ASSERT_TRUE(editor_->has_scene());
  EXPECT_EQ(editor_->scene().sample, nullptr);
  EXPECT_EQ(editor_->scene().experiment.q[0], 1.5) << "the nominal value";
  EXPECT_EQ(editor_->dt(), 0.001);
}

TEST_F(StudySampleTest, AFailedSampleIsOpened) {
  const auto sample = sample_with(SampleStatus::failed);
  ASSERT_TRUE(sample);
  start();
  run("study.open", {file().string()});
  run("study.select", {fmt::format("{}", *sample)});
  EXPECT_TRUE(shows("toofar")) << "the message of the selected sample";
  run("study.sample");
  ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
  EXPECT_GT(editor_->scene().experiment.q[0], 2);
}

TEST_F(StudySampleTest, ASceneThatHasChangedIsReported) {
  write("arm.lua", replaced(study_scene(), "mass = 0.5", "mass = 0.6"));
  start();
  run("study.open", {file().string()});
  run("study.sample", {"1"});
  ASSERT_TRUE(editor_->has_scene());
  EXPECT_THAT(problems(*editor_->now),
              HasSubstr("arm-study.h5:1: the file 'arm.lua' has changed since, so that this run "
                        "may differ"));
  // A reload keeps the values of the sample.
  const auto q = editor_->scene().experiment.q;
  write("arm.lua", study_scene() + "\n");
  EXPECT_TRUE(eventually([&] {
    frame();
    return problems(*editor_->now).find("reloaded") != std::string::npos;
  }));
  finish();
  EXPECT_EQ(editor_->scene().experiment.q, q);
  EXPECT_EQ(editor_->dt(), 0.002);
}

TEST_F(StudySampleTest, TheSceneIsFoundFromAnotherFolder) {
  std::filesystem::create_directories(folder_ / "recordings");
  std::filesystem::copy(file(), folder_ / "recordings/arm-study.h5");
  start();
  run("study.open", {(folder_ / "recordings/arm-study.h5").string()});
  run("study.sample", {"1"});
  ASSERT_TRUE(editor_->has_scene());
  EXPECT_EQ(editor_->scene().file, scene_);
}

// Prints the cost without a check, because machines differ. STUDY_SAMPLES sets the number of
// samples. A frame formats only visible rows, and
// all computations run on threads.
TEST_F(StudiesPanelTest, CostOfAFrameWithManySamples) {
  const char* given = std::getenv("STUDY_SAMPLES");
  const uint64_t n = given ? std::stoull(given) : 200'000;
  write_study(file(), n, n);
  start();
  ImGui::GetIO().DisplaySize = {1920, 1080};
  run("study.open", {file().string()});
  for (const char* diagram : {"histogram", "scatter", "bands"}) {
    run("study.plot", {diagram});
    std::vector<double> ms;
    for (int k = 0; k < 60; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      frame();
      ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
              .count());
    }
    std::ranges::sort(ms);
    std::printf("UI work of a frame, %d samples, %s: median %.2f ms, largest %.2f ms\n", int(n),
                diagram, ms[30], ms.back());
    // A vertex takes 20 bytes. All samples would be more than a million of them.
    EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, 300'000) << diagram;
  }
}

}  // namespace
}  // namespace torsor::editor::test

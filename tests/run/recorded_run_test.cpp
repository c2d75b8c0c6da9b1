// Tests of a recorded run with changes. Its rows must equal those of a player that is stepped by
// the test.

#include "torsor/run/recorded_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "simulation/folder_test.hpp"
#include "simulation/forces.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Rows = std::vector<std::vector<double>>;

const std::vector<Change> edits = {{0, TorqueChange{{0.5, -1}}},
                                   {7, SolverChange{"newton_euler"}},
                                   {7, StateChange{{1, 0.5}, {0, -1}}},
                                   {12, StateChange{{0.1, 0.2}, {2, 3}}},
                                   {20, TorqueChange{{3, 4}}}};

Experiment short_swing() {
  Experiment experiment = swing();
  experiment.duration = 0.02;
  experiment.record = {"arm.q", "arm.v", "arm.vdot", "arm.tau", "energy"};
  return experiment;
}

SolverIdentity identify(const std::string& id) {
  return {"solver." + std::string(without_kind(id)), "1.0", "abc"};
}
bool go_on(const Simulation&) {
  return true;
}

Rows rows_by_hand() {
  const Experiment experiment = short_swing();
  Player player(with_solvers(experiment));
  Recorder recorder(*experiment.model, experiment.record);
  Rows rows;
  for (int k = 0; k <= 20; ++k) {
    if (k > 0) player.simulation().step();
    player.apply(edits);
    const auto row = recorder.sample(player.simulation());
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

class RecordedRun : public FolderTest {
 protected:
  torsor::RecordedRun recorded(Experiment experiment, std::vector<Change> changes = {}) const {
    experiment.changes = std::move(changes);
    return {with_solvers(experiment), identify, "scenes/swing.lua", folder_ / "swing.csv"};
  }
  nlohmann::json side_file() const {
    return nlohmann::json::parse(std::ifstream(folder_ / "swing.json"));
  }
  Rows csv() const {
    std::ifstream in(folder_ / "swing.csv");
    std::string line, cell;
    std::getline(in, line);
    Rows rows;
    while (std::getline(in, line)) {
      rows.emplace_back();
      for (std::stringstream cells(line); std::getline(cells, cell, ',');)
        rows.back().push_back(std::strtod(cell.c_str(), nullptr));
    }
    return rows;
  }
};

TEST_F(RecordedRun, ChangesGiveTheRowsOfASteppedPlayer) {
  std::vector<Change> more = edits;
  more.push_back({21, StateChange{{0, 0}, {0, 0}}});  // beyond the end
  torsor::RecordedRun recorded = this->recorded(short_swing(), more);
  EXPECT_TRUE(recorded.execute(go_on));
  EXPECT_EQ(csv(), rows_by_hand());
  const Rows rows = csv();
  EXPECT_EQ(rows[12][1], 0.1) << "the row of a step is taken after its changes";
  EXPECT_EQ(rows[20][7], 3);
}

TEST_F(RecordedRun, TheSideFileListsTheEdits) {
  torsor::RecordedRun recorded = this->recorded(short_swing(), edits);
  recorded.execute(go_on);
  const auto json = side_file();
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["solver"]["id"], "solver.articulated_body");
  ASSERT_EQ(json["edits"].size(), 5u);
  EXPECT_EQ(json["edits"][0], nlohmann::json::parse(R"({"step": 0, "tau": [0.5, -1.0]})"));
  EXPECT_EQ(
      json["edits"][1],
      nlohmann::json::parse(
          R"({"step": 7, "solver": {"id": "solver.newton_euler", "version": "1.0", "sha256": "abc"}})"));
  EXPECT_EQ(json["edits"][2],
            nlohmann::json::parse(R"({"step": 7, "q": [1.0, 0.5], "v": [0.0, -1.0]})"));
}

TEST_F(RecordedRun, WithoutEditsTheSideFileHasNone) {
  torsor::RecordedRun recorded = this->recorded(short_swing());
  EXPECT_EQ(side_file()["complete"], false) << "before it has run";
  EXPECT_THAT(side_file()["error"], HasSubstr("ended before"));
  recorded.execute(go_on);
  EXPECT_FALSE(side_file().contains("edits"));
  EXPECT_EQ(side_file()["steps"], 20);
}

TEST_F(RecordedRun, WhatStopsItIsInTheSideFile) {
  torsor::RecordedRun stopped = recorded(short_swing());
  EXPECT_FALSE(stopped.execute([](const Simulation& s) { return s.steps() < 5; }));
  EXPECT_EQ(side_file()["error"], "interrupted");
  EXPECT_EQ(side_file()["steps"], 5);
  EXPECT_EQ(csv().size(), 6u);

  // The stop function interrupts the sixth step.
  torsor::RecordedRun inside = recorded(short_swing());
  int evaluations = 0;
  inside.set_stop([&] { return inside.run().simulation().steps() == 5 && ++evaluations > 2; });
  EXPECT_FALSE(inside.execute(go_on));
  EXPECT_EQ(side_file()["error"], "interrupted");
  EXPECT_EQ(side_file()["steps"], 5);
  EXPECT_EQ(csv().size(), 6u);

  torsor::RecordedRun failing = recorded(short_swing(), {{4, TorqueChange{{1}}}});
  EXPECT_THAT([&] { failing.execute(go_on); }, testing::ThrowsMessage<Error>(HasSubstr("torque")));
  EXPECT_EQ(side_file()["complete"], false);
  EXPECT_THAT(side_file()["error"], HasSubstr("torque"));
  EXPECT_EQ(csv().size(), 4u);
}

TEST_F(RecordedRun, EveryFormatHasTheSameContents) {
  torsor::RecordedRun as_csv = recorded(short_swing(), edits);
  Experiment edited = short_swing();
  edited.changes = edits;
  torsor::RecordedRun as_hdf5(with_solvers(edited), identify, "scenes/swing.lua",
                              folder_ / "swing.h5");
  EXPECT_EQ(read_recording(folder_ / "swing.h5").error, "the program ended before the run did")
      << "before it has run";
  EXPECT_TRUE(as_csv.execute(go_on));
  EXPECT_TRUE(as_hdf5.execute(go_on));
  const Recording csv = read_recording(folder_ / "swing.csv"),
                  hdf5 = read_recording(folder_ / "swing.h5");
  EXPECT_EQ(csv.values, hdf5.values);
  EXPECT_EQ(csv.description, hdf5.description);
  EXPECT_EQ(csv.signals, hdf5.signals);
  EXPECT_EQ(hdf5.error, "");
}

// Checks that forces are described with every parameter, given or default, in every format.
TEST_F(RecordedRun, DescribesTheForces) {
  Experiment experiment = short_swing();
  const std::vector<FramePlace> to{
      {"link2", translation<double>({0.5, 0, 0}) * rotation_z(std::numbers::pi / 2)}};
  experiment.load.forces = {
      force("spring_damper", experiment.model,
            {{"from", "world"}, {"to", to}, {"stiffness", 30.0}}),
      force("fluid_drag", experiment.model,
            {{"frames", frames({"link1", "link2"})}, {"linear", std::vector{0.5}}})};
  torsor::RecordedRun(with_solvers(experiment), identify, "scenes/swing.lua", folder_ / "swing.h5")
      .execute(go_on);
  recorded(experiment).execute(go_on);
  const auto expected = nlohmann::json::parse(R"([
    {"id": "force.spring_damper", "version": "1.0", "parameters": [
      {"name": "from", "unit": "m", "value": [{"frame": "world", "position": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0]}]},
      {"name": "to", "unit": "m", "value": [{"frame": "link2", "position": [0.5, 0.0, 0.0], "quaternion": [0, 0.0, 0.0, 0]}]},
      {"name": "stiffness", "unit": "N/m", "value": 30.0},
      {"name": "damping", "unit": "N s/m", "value": 0.0},
      {"name": "rest_length", "unit": "m", "value": 0.0}]},
    {"id": "force.fluid_drag", "version": "1.0", "parameters": [
      {"name": "frames", "unit": "m", "value": [
        {"frame": "link1", "position": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0]},
        {"frame": "link2", "position": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0]}]},
      {"name": "linear", "unit": "N s/m", "value": [0.5]},
      {"name": "drag_area", "unit": "m^2", "value": []},
      {"name": "density", "unit": "kg/m^3", "value": 1.2},
      {"name": "velocity", "unit": "m/s", "value": [0.0, 0.0, 0.0]}]}])");
  for (const char* name : {"swing.h5", "swing.csv"}) {
    auto described =
        nlohmann::json::parse(read_recording(folder_ / name).description)["experiment"]["forces"];
    auto& turned = described[0]["parameters"][1]["value"][0]["quaternion"];
    EXPECT_NEAR(turned[0], std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(turned[3], std::sqrt(0.5), 1e-15);
    turned[0] = turned[3] = 0;
    EXPECT_EQ(described, expected) << name;
  }
}

TEST_F(RecordedRun, ChangesThatCannotBeMadeAreErrors) {
  EXPECT_THAT(
      [&] {
        recorded(short_swing(), {{5, TorqueChange{{1, 1}}}, {3, TorqueChange{{1, 1}}}});
      },
      testing::ThrowsMessage<Error>(HasSubstr("order them")));
  EXPECT_THAT(
      [&] {
        recorded(short_swing(), {{-1, TorqueChange{{1, 1}}}});
      },
      testing::ThrowsMessage<Error>(HasSubstr("step -1")));
  EXPECT_THAT(
      [&] {
        recorded(short_swing(), {{0, TorqueChange{{1}}}});
      },
      testing::ThrowsMessage<Error>(HasSubstr("2 finite numbers")));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

}  // namespace
}  // namespace torsor::test

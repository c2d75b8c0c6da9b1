// Files of a recording.

#include "torsor/simulation/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "simulation/robots.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

class Recording : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        (std::string("torsor_recording_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
         "_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static std::string read(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

TEST_F(Recording, NumbersReadBackToTheSameBits) {
  const double values[] = {0.1, 1.0 / 3, 5e-324, -1.7976931348623157e308, 123456789.0};
  CsvFile file(folder_ / "deep" / "a.csv",
               {{"time", "s", ""}, {"b", "m", ""}, {"c", "", ""}, {"d", "1", ""}, {"e", "J", ""}});
  file.write(values);
  file.close();
  std::ifstream in(folder_ / "deep" / "a.csv");
  std::string header, cell;
  std::getline(in, header);
  EXPECT_EQ(header, "time [s],b [m],c [],d [1],e [J]");
  for (const double value : values) {
    std::getline(in, cell, value == values[4] ? '\n' : ',');
    EXPECT_EQ(std::strtod(cell.c_str(), nullptr), value) << cell;
  }
}

TEST_F(Recording, ANameWithACommaIsQuoted) {
  CsvFile file(folder_ / "a.csv", {{"left, \"main\"", "rad", ""}});
  file.close();
  EXPECT_EQ(read(folder_ / "a.csv"), "\"left, \"\"main\"\" [rad]\"\n");
}

TEST_F(Recording, AFolderThatCannotBeWrittenIsSaid) {
  std::ofstream(folder_) << "a file where the folder should be";
  EXPECT_THAT([&] { CsvFile(folder_ / "a.csv", {}); },
              testing::ThrowsMessage<Error>(HasSubstr("cannot write")));
  EXPECT_THAT([&] { write_file(folder_ / "a.json", ""); },
              testing::ThrowsMessage<Error>(HasSubstr("cannot write")));
  std::filesystem::remove(folder_);
}

TEST_F(Recording, ADiskThatTakesNoMoreIsSaid) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  CsvFile file("/dev/full", {{"time", "s", ""}});
  EXPECT_THAT(
      [&] {
        for (int k = 0; k < 100000; ++k) file.write(std::vector<double>{1.0 / 3});
        file.close();
      },
      testing::ThrowsMessage<Error>(HasSubstr("No space left")));
}

TEST_F(Recording, AWrittenFileIsWholeOrAbsent) {
  write_file(folder_ / "a.json", "{}\n");
  EXPECT_EQ(read(folder_ / "a.json"), "{}\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.json.part"));
}

Experiment swing() {
  Experiment experiment;
  experiment.model = build(pendulum(0.1));
  experiment.q = {0.5};
  experiment.v = {0};
  experiment.gravity_W = {0, -g, 0};
  experiment.duration = 0.1;
  experiment.record = {"energy"};
  experiment.parameters = {{"n", 1.0}, {"soft", true}, {"kind", "a"}};
  return experiment;
}

TEST_F(Recording, RowsComeAtTheIntervalAndAtTheEnd) {
  Experiment experiment = swing();
  experiment.record_interval = 0.03;
  torsor::Run run(experiment, solver_source());
  std::vector<double> times;
  run.execute([&](std::span<const double> row) { times.push_back(row[0]); },
              [](const Simulation&) { return true; });
  ASSERT_EQ(times.size(), 5u);
  const double expected[] = {0, 0.03, 0.06, 0.09, 0.1};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(times[k], expected[k], 1e-15);
}

TEST_F(Recording, ARunStopsWhenAsked) {
  torsor::Run run(swing(), solver_source());
  run.execute([](std::span<const double>) {}, [](const Simulation& s) { return s.steps() < 7; });
  EXPECT_EQ(run.simulation().steps(), 7);
}

TEST_F(Recording, ARunThatCannotStartWritesNothing) {
  RobotDescription massless = pendulum();
  massless.links[0].inertia = SpatialInertia<double>::zero();
  Experiment experiment = swing();
  experiment.model = build(massless);
  EXPECT_THAT([&] { torsor::Run(experiment, solver_source()); },
              testing::ThrowsMessage<Error>(HasSubstr("singular")));
}

TEST_F(Recording, AValueThatIsNotFiniteStopsTheRecording) {
  Experiment experiment = swing();
  experiment.model = build(slider());
  experiment.v = {1e200};  // finite, but not its energy
  torsor::Run run(experiment, solver_source());
  EXPECT_THAT([&] { run.execute([](std::span<const double>) {}, [](const Simulation&) { return true; }); },
              testing::ThrowsMessage<Error>(HasSubstr("energy.kinetic")));
}

TEST_F(Recording, TheSideFileSaysWhatWasRun) {
  const auto json = describe(swing());
  EXPECT_EQ(json["parameters"]["n"], 1.0);
  EXPECT_EQ(json["parameters"]["soft"], true);
  EXPECT_EQ(json["parameters"]["kind"], "a");
  EXPECT_EQ(json["integrator"], "rk4");
  EXPECT_EQ(json["model"]["joints"][0]["damping"], 0.1);
  EXPECT_EQ(json["model"]["joints"][0]["upper"], nullptr);
  EXPECT_EQ(json["model"]["joints"][0]["unit"], "rad");
}

}  // namespace
}  // namespace torsor::test

// Studies through the C interface.

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "capi/handles.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// A pendulum whose final angle depends on a number and a text.
constexpr const char* scene_text = R"(
local torsor = require "torsor"
local p = torsor.params{ angle = torsor.uniform(0, 1), kind = torsor.choice{ "slow", "fast" } }
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "link", joint = { "revolute", name = "joint", axis = {0, 1, 0} },
          inertia = { mass = 1, com = {0, 0, -1}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } } }
arm:set{ q = { p.angle }, v = { p.kind == "fast" and 1 or 0 } }
local world = torsor.world{}
world:add(arm)
return world:experiment{
  duration = 0.05, integrator = { "rk4", dt = 1e-2 },
  outcome = { function(run) return { final = run:final("arm.q.joint") } end, units = { final = "rad" } },
  record = { "arm.q" },
}
)";

class Studies : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(scene_) << scene_text;
    options_.struct_size = sizeof options_;
    options_.jobs = 2;
    options_.samples = 20;
    options_.seed = 3;
  }
  torsor_result run() {
    return torsor_study_run(engine_.get(), scene_.c_str(), table_.c_str(), &options_, &error_);
  }
  Owned<torsor_engine> engine_ = made_engine();
  ScratchFolder scratch_;
  std::string scene_ = scratch_.file("study.lua");
  std::string table_ = scratch_.file("study.h5");
  torsor_study_options options_{};
  ErrorText error_;
};

TEST_F(Studies, AreTheSameForAnyNumberOfThreads) {
  ASSERT_EQ(run(), TORSOR_SUCCESS) << error_.text;
  const auto study = made<torsor_study>(torsor_study_read, table_.c_str());
  EXPECT_EQ(torsor_study_samples(study.get()), 20u);
  ASSERT_EQ(torsor_study_parameters(study.get()), 2u);
  ASSERT_EQ(torsor_study_outcomes(study.get()), 1u);
  EXPECT_STREQ(torsor_study_name(study.get(), 2), "final");
  EXPECT_STREQ(torsor_study_unit(study.get(), 2), "rad");
  EXPECT_STREQ(torsor_study_status(study.get(), 0), "done");
  EXPECT_STREQ(torsor_study_message(study.get(), 0), "");
  EXPECT_EQ(torsor_study_status(study.get(), 20), nullptr);
  const double* values = torsor_study_values(study.get());
  for (size_t k = 0; k < 20; ++k) {
    const size_t angle = std::string(torsor_study_name(study.get(), 0)) == "angle" ? 0 : 1;
    const char* kind =
        torsor_study_label(study.get(), 1 - angle, size_t(values[3 * k + 1 - angle]));
    ASSERT_NE(kind, nullptr);
    // Within 0.05 s the pendulum moves by v t and falls by about g sin(q) t^2 / 2.
    const double q = values[3 * k + angle], v = std::string(kind) == "fast" ? 1 : 0;
    EXPECT_NEAR(values[3 * k + 2], q + v * 0.05 - 9.81 * std::sin(q + 0.025 * v) * 0.00125, 2e-4);
  }
  options_.existing = 2;
  options_.jobs = 1;
  ASSERT_EQ(run(), TORSOR_SUCCESS) << error_.text;
  const auto again = made<torsor_study>(torsor_study_read, table_.c_str());
  EXPECT_EQ(torsor_study_hash(again.get()), torsor_study_hash(study.get()));
}

TEST_F(Studies, TakeGridsAndContinue) {
  const torsor_setting grid[] = {{"angle", "0:1:3"}, {"kind", "slow,fast"}};
  options_.grid = grid;
  options_.n_grid = 2;
  EXPECT_EQ(run(), TORSOR_USER_ERROR);
  EXPECT_STREQ(error_.text, "samples and grid exclude each other; give one of them");
  options_.samples = 0;
  ASSERT_EQ(run(), TORSOR_SUCCESS) << error_.text;
  EXPECT_EQ(torsor_study_samples(made<torsor_study>(torsor_study_read, table_.c_str()).get()), 6u);
  EXPECT_EQ(run(), TORSOR_USER_ERROR);
  EXPECT_THAT(error_.text, HasSubstr("exists; continue it (existing = 1)"));
  options_.existing = 1;
  EXPECT_EQ(run(), TORSOR_SUCCESS) << error_.text;
  options_.dt = 5e-3;
  EXPECT_EQ(run(), TORSOR_USER_ERROR) << "another study continues the table";
}

TEST_F(Studies, MayBeStopped) {
  options_.samples = 1'000'000;
  options_.progress = [](void*, uint64_t done, uint64_t all) -> int32_t { return done < all; };
  EXPECT_EQ(run(), TORSOR_STOPPED);
  const auto study = made<torsor_study>(torsor_study_read, table_.c_str());
  EXPECT_STREQ(torsor_study_status(study.get(), 999'999), "not_run");
  for (size_t column = 0; column < 3; ++column)
    EXPECT_TRUE(std::isnan(torsor_study_values(study.get())[3 * 999'999 + column])) << column;
}

TEST_F(Studies, HaveAtMost4096Threads) {
  for (const uint32_t jobs : {4097u, 0xffffffffu}) {
    options_.jobs = jobs;
    EXPECT_EQ(run(), TORSOR_USER_ERROR);
    EXPECT_EQ(std::string(error_.text),
              "jobs is " + std::to_string(jobs) + "; a study has at most 4096 workers");
  }
}

// The lines of the nominal load go to the function of the engine; samples print nothing.
TEST_F(Studies, PrintByTheFunctionOfTheEngine) {
  std::vector<std::string> lines;
  engine_ = made_engine_printing_to(lines);
  std::ofstream(scene_) << "print('loaded')\n" << scene_text;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), TORSOR_SUCCESS) << error_.text;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(lines, std::vector<std::string>{"loaded"});
}

TEST_F(Studies, ErrorsNameTheLine) {
  std::ofstream(scene_) << "local torsor = require 'torsor'\n\nerror('no scene')\n";
  EXPECT_EQ(run(), TORSOR_USER_ERROR);
  EXPECT_THAT(error_.text, testing::StartsWith(scene_ + ":3: no scene"));
  torsor_study* none = nullptr;
  EXPECT_EQ(torsor_study_read("missing.h5", &none, &error_), TORSOR_USER_ERROR);
  EXPECT_EQ(none, nullptr);
}

}  // namespace
}  // namespace torsor::test

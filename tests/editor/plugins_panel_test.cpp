// Tests of the panel of plugins, and of their validation in a separate process.

#include <gmock/gmock.h>

#include <algorithm>

#include "editor/panels/plugins/validation_job.hpp"
#include "editor/probe/plugin_uses.hpp"
#include "editor/session_fixture.hpp"
#include "torsor/host/solver_offer.hpp"

namespace torsor::editor::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = ValidationLine::Outcome;

class PluginsPanelTest : public SessionTest {
 protected:
  static const PluginInfo& plugin(const std::string& id) {
    return *std::ranges::find(shipped_plugins().plugins(), id, &PluginInfo::id);
  }
};

TEST_F(PluginsPanelTest, ReportsWhereASceneUsesThem) {
  Session session(shipped_plugins(),
                  SessionOptions{source_file("scenes/computed_torque.lua"), {}, {}});
  const auto now = settled(session);
  ASSERT_TRUE(now->scene) << problems(*now);
  const auto uses = plugin_uses(*now->scene, "lie_group");
  EXPECT_THAT(uses.at("solver.lie_group"), Contains("solver of the run"));
  EXPECT_THAT(uses.at("controller.computed_torque"), Contains(HasSubstr("computed_torque.lua:")));
}

TEST_F(PluginsPanelTest, AValidationIsFollowedAndStopped) {
  const PluginInfo& ground = plugin("force.spring_damper");
  ValidationJob job;
  EXPECT_FALSE(job.busy());
  job.start(ground.file, ground.id);
  EXPECT_TRUE(eventually([&] { return job.now().lines.size() >= 3 || !job.busy(); }));
  EXPECT_TRUE(job.busy());
  EXPECT_EQ(job.now().lines[0].check, "loads");
  EXPECT_GT(job.now().checks, 5u);
  job.stop();
  EXPECT_TRUE(eventually([&] { return !job.busy(); }));
  EXPECT_TRUE(job.now().stopped);
  EXPECT_EQ(job.now().failure, "");
}

TEST_F(PluginsPanelTest, AFileThatHoldsNoSuchPluginIsToldSo) {
  const PluginInfo& ground = plugin("force.ground");
  ValidationJob job;
  job.start(ground.file, "force.groud");
  EXPECT_TRUE(eventually([&] { return !job.busy(); }));
  EXPECT_THAT(job.now().failure, HasSubstr("did you mean 'force.ground'"));
  job.start(write("broken.so", "no library"), "solver.x");
  EXPECT_TRUE(eventually([&] { return !job.busy(); }));
  ASSERT_EQ(job.now().lines.size(), 1u) << job.now().failure;
  EXPECT_EQ(job.now().count(Outcome::failed), 1u);
}

TEST_F(PluginsPanelTest, SolversSayWhatTheyOffer) {
  const SolverOffer offer = offer_of(shipped_plugins(), plugin("solver.articulated_body"));
  EXPECT_EQ(offer.trouble, "");
  EXPECT_THAT(offer.offered, Contains("forward_dynamics"));
  EXPECT_THAT(offer.derived, Contains("christoffel_symbols"));
}

}  // namespace
}  // namespace torsor::editor::test

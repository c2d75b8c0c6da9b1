// Tests of a robot whose M is singular because its last link has no inertia. The window shows the
// numbers that exist, and the reason why others are missing.

#include <gmock/gmock.h>

#include "editor/panels/dynamics/data.hpp"
#include "editor/windowless_fixture.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;

constexpr const char* massless_leaf = R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0}, friction = { "coulomb", coulomb = 0.2 } },
          inertia = { mass = 1, com = {0.5, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.1, Izz = 0.1 } } }
arm:link{ name = "finger", parent = "rod", origin = { xyz = {1, 0, 0} }, joint = { "revolute", name = "knuckle", axis = {0, 0, 1} },
          massless = true }
local world = torsor.world{}
world:add(arm)
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 1e-3 }, duration = 0.1, record = { "arm.q" } }
)";

using SingularRobotTest = WindowlessTest;

TEST_F(SingularRobotTest, ShowsWhatThereIsWithTheReason) {
  open(write("arm.lua", massless_leaf));
  ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
  EXPECT_THAT(problems(*editor_->now), HasSubstr("arm.lua: the run cannot start: "));
  EXPECT_THAT(problems(*editor_->now),
              HasSubstr("the mass matrix is singular: joint 'knuckle' moves no inertia"));

  const auto data = [&](DynamicsView view) { return dynamics_data(editor_->probe, view, {}); };
  constexpr const char* reason =
      "M is singular: knuckle (link finger) moves without inertia. Give the link or a link beyond "
      "it mass or inertia, or the joint armature.";
  const DynamicsData M = data(DynamicsView::M);
  EXPECT_EQ(M.table.failure, "");
  ASSERT_EQ(M.table.x.size(), 4u);
  EXPECT_NEAR(M.table.at(0, 0), 0.1 + 0.25, 1e-12);
  EXPECT_EQ(M.table.at(1, 1), 0);
  EXPECT_EQ(M.singular, reason);
  EXPECT_TRUE(std::isinf(M.spectrum->condition()));
  const DynamicsData g = data(DynamicsView::g);
  ASSERT_EQ(g.table.x.size(), 2u);
  EXPECT_NEAR(std::abs(g.table.x[0]), 9.81 * 0.5, 1e-12);
  EXPECT_EQ(g.singular, "");
  for (const DynamicsView view :
       {DynamicsView::C, DynamicsView::bias, DynamicsView::J, DynamicsView::christoffel})
    EXPECT_EQ(data(view).table.failure, "") << row_of(view).name;
  for (const DynamicsView view : {DynamicsView::vdot, DynamicsView::tau, DynamicsView::Minv}) {
    EXPECT_THAT(data(view).table.failure, HasSubstr("singular")) << row_of(view).name;
    EXPECT_EQ(data(view).singular, reason) << row_of(view).name;
  }
  for (const DynamicsRow& row : dynamics_rows()) {
    run_action(*editor_, "dynamics.show", {row.name});
    every_panel();
  }
}

TEST_F(SingularRobotTest, DoesNotRun) {
  open(write("arm.lua", massless_leaf));
  ASSERT_TRUE(editor_->has_scene());
  editor_->session.post(command::Go{1});
  settle();
  EXPECT_EQ(editor_->now->state.step, 0);
  const Experiment& experiment = editor_->scene().experiment;
  EXPECT_THROW((torsor::Run(experiment)), Error);
}

TEST(Spectrum, NamesOnlyTheDofOfZeroEigenvalues) {
  const Spectrum indefinite = spectrum({{-2, 0, 0, 0, 0, 0, 0, 0, 3}, ""});
  EXPECT_EQ(indefinite.singular, std::vector<int>{1});
  const Spectrum singular = spectrum({{0, 0, 0, 0, 5, 0, 0, 0, 0}, ""});
  EXPECT_EQ(singular.singular, (std::vector<int>{0, 2}));
  EXPECT_TRUE(spectrum({{-2, 0, 0, 3}, ""}).singular.empty());
}

}  // namespace
}  // namespace torsor::editor::test

// Tests of the panel of the 3D view: trails and references.

#include <gmock/gmock.h>

#include <algorithm>

#include "editor/panels/view/view.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/still_states.hpp"
#include "editor/windowless_fixture.hpp"
#include "simulation/robots.hpp"
#include "torsor/control/control.hpp"

namespace torsor::editor::test {
namespace {

class ViewPanelTest : public WindowlessTest {
 protected:
  // Returns the trail of the robot up to a step.
  std::vector<Vec3<double>> trail_at(long long step) {
    editor_->session.post(command::Go{step});
    settle();
    EXPECT_TRUE(editor_->sampler.wait(std::chrono::seconds(60)));
    frame();
    return editor_->panel<ViewPanel>().state.trails.at(0).points;
  }
};

// Checks that a trail which is reduced further keeps the places of its remaining points.
TEST_F(ViewPanelTest, ALongerTrailDoesNotShift) {
  open(write("arm.lua", replaced(pendulum_scene, "duration = 0.5", "duration = 2")));
  editor_->panel<ViewPanel>().state.toggles.trail = true;
  const std::vector<Vec3<double>> before = trail_at(1500), after = trail_at(1800);
  ASSERT_GT(before.size(), 400u);
  ASSERT_GT(after.size(), 400u);
  EXPECT_LE(std::max(before.size(), after.size()), 802u);
  const auto is_in_before = [&](const Vec3<double>& p) {
    return std::ranges::any_of(before, [&](const Vec3<double>& b) { return norm(b - p) == 0; });
  };
  for (size_t k = 0; k < 300; ++k) EXPECT_TRUE(is_in_before(after[k])) << k;
}

// Checks a reference for a frame that cannot be evaluated after 0.4 s, in a scene of 1 s.
TEST(References, AReferenceIsShownUpToTheTimeAtWhichItFails) {
  const auto model = build(torsor::test::pendulum());
  const ReferenceLaw law{.of_frame = true,
                         .make = [] { return Reference(); },
                         .evaluate =
                             [](double t, Reference& out) {
                               if (t > 0.4) throw Error("the reference ends");
                               out.X_WF.p = {t, 0, 0};
                             }};
  const auto nothing = [](const Measured&, double, std::span<const double>,
                          const ControlLaw::Answer&) {};
  const Control control{
      .name = "task", .law = std::make_shared<FunctionLaw>(nothing, 0, std::vector<double>(), law)};
  const auto scene = still_scene(experiment_of(model));
  ASSERT_EQ(scene->steps, 1000);

  References references;
  references.look_at(scene, std::span(&control, 1));
  const std::vector<double>& q = scene->experiment.q;
  size_t drawn = 0;
  // Each call extends the path for a limited time, until the path no longer grows.
  for (int k = 0; k < 2000; ++k) {
    const auto shown = references.at(0.1, q);
    ASSERT_EQ(shown.size(), 1u) << "call " << k;
    EXPECT_EQ(shown[0].X_WF.p.x, 0.1);
    drawn = shown[0].path.size();
    if (drawn == 161) break;
  }
  EXPECT_EQ(drawn, 161u) << "0 to 0.4 s in steps of 2.5 ms";
  EXPECT_TRUE(references.any());
  EXPECT_TRUE(references.at(0.5, q).empty());
  EXPECT_FALSE(references.any());
  EXPECT_EQ(references.at(0.2, q).size(), 1u) << "it is shown again at an earlier time";
}

}  // namespace
}  // namespace torsor::editor::test

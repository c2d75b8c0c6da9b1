// Tests of <torsor:position>, the coordinates of joints at the poses of an SDF file.

#include <gmock/gmock.h>

#include <cmath>

#include "formats/sdf_file.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

std::string position(const std::string& q) {
  return "<torsor:position>" + q + "</torsor:position>";
}

// Returns the poses of the bodies of the links in the world.
std::vector<Pose<double>> poses(const State& state) {
  std::vector<Pose<double>> X_WB{Pose<double>::identity()};
  const Model& model = state.model();
  for (size_t b = 1; b < size_t(model.n_body); ++b)
    X_WB.push_back(X_WB[size_t(model.parent[b])] * state.X_PB()[b]);
  std::vector<Pose<double>> out;
  for (const Link& link : model.links) {
    const Frame& frame = model.frames[size_t(link.frame)];
    out.push_back(X_WB[size_t(frame.body)] * frame.X_BF);
  }
  return out;
}

// Returns the text of a model with the joints j and k, whose types and contents are separated by
// '|': a fixed link c - j - a - k - b. reversed: c is the child of j.
std::string two_joints(const std::string& j, const std::string& k, bool reversed) {
  const auto joint = [](const std::string& name, const std::string& words, const char* parent,
                        const char* child) {
    const size_t bar = words.find('|');
    return "<joint name='" + name + "' " + words.substr(0, bar) +
           "><pose>0.1 -0.1 0.2 0.3 0.2 0.1</pose><parent>" + parent + "</parent><child>" + child +
           "</child>" + words.substr(bar + 1) + "</joint>";
  };
  return sdf_model(
      "<link name='c'><pose>0.2 0 0 0 0.3 0</pose></link>"
      "<link name='a'><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose></link>"
      "<link name='b'><pose>-0.3 0.1 0.2 0.6 -0.5 0.1</pose></link>" +
      joint("f", "type='fixed'|", "world", "c") +
      joint("j", j, reversed ? "a" : "c", reversed ? "c" : "a") + joint("k", k, "a", "b"));
}

// At these coordinates, the links are where the file has them. Without <torsor:position>, they are
// there at 0.
TEST(SdfPosition, IsThatOfThePosesOfTheFile) {
  const std::string axis = "<axis><xyz>0 0.6 0.8</xyz></axis>",
                    axis_2 = "<axis2><xyz>1 0 0</xyz></axis2>";
  const double s = std::sqrt(0.5);
  struct Row {
    std::string type, q;
    std::vector<double> numbers;
    bool reversible;
  };
  for (const auto& [type, q, numbers, reversible] :
       {Row{"type='revolute'|" + axis, "0.7", {0.7}, true},
        Row{"type='prismatic'|" + axis, "-0.3", {-0.3}, true},
        Row{"type='screw'|" + axis + "<screw_thread_pitch>0.5</screw_thread_pitch>",
            "2",
            {2},
            true},
        Row{"type='universal'|" + axis + axis_2, "0.4 -0.9", {0.4, -0.9}, true},
        Row{"type='ball'|", "2 0 2 0", {s, 0, s, 0}, false}})
    for (const bool reversed : {false, true}) {
      if (reversed && !reversible) continue;
      SCOPED_TRACE(type);
      const std::string second = "type='revolute'|" + axis + position("0.25");
      State at(build(read_sdf_text(two_joints(type + position(q), second, reversed)))),
          without(build(read_sdf_text(two_joints(type, "type='revolute'|" + axis, reversed))));
      std::vector<double> all = numbers;
      all.push_back(0.25);
      at.set_q(all);
      const auto expected = poses(without), found = poses(at);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t k = 0; k < found.size(); ++k) {
        EXPECT_LT(norm(found[k].p - expected[k].p), 1e-14) << k;
        for (int i = 0; i < 9; ++i) EXPECT_NEAR(found[k].R.m[i], expected[k].R.m[i], 1e-14) << k;
      }
    }
}

TEST(SdfPosition, OfAFloatingLinkIsInItsElement) {
  const std::string link = "<link name='a'><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>",
                    q = position("0.5 0.6 0.7 0.5 0.5 0.5 0.5");
  State at(build(read_sdf_text(sdf_model(link + q + "</link>")))),
      without(build(read_sdf_text(sdf_model(link + "</link>"))));
  at.set_q(std::vector<double>{0.5, 0.6, 0.7, 0.5, 0.5, 0.5, 0.5});
  EXPECT_LT(norm(poses(at)[0].p - poses(without)[0].p), 1e-15);
}

TEST(SdfPosition, ShiftsLimitsSpringsAndMimics) {
  const RobotDescription robot = read_sdf_text(two_joints(
      "type='revolute'|<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit>"
      "<dynamics><spring_stiffness>3</spring_stiffness><spring_reference>0.1</spring_reference>"
      "</dynamics></axis>" +
          position("0.5"),
      "type='revolute'|<axis><xyz>0 0 1</xyz><mimic joint='j'><multiplier>2</multiplier><offset>"
      "0.3</offset></mimic></axis>" +
          position("-0.25"),
      false));
  const JointDescription& j = robot.links.at(1).joint;
  EXPECT_EQ(j.lower, -0.5);
  EXPECT_EQ(j.upper, 2.5);
  EXPECT_EQ(j.drives.at(0).spring.rest, 0.6);
  // q_k + 0.25 = 2 (q_j - 0.5) + 0.3
  EXPECT_NEAR(robot.links.at(2).joint.mimic.value().offset, -0.95, 1e-15);
}

TEST(SdfPosition, HasAsManyNumbersAsTheJoint) {
  const std::string axis = "<axis><xyz>0 0 1</xyz></axis>";
  EXPECT_THAT(
      error_of_sdf(two_joints("type='revolute'|" + axis + position("1 2"), "type='fixed'|", false)),
      HasSubstr("joint 'j': <torsor:position> needs 1 number"));
  EXPECT_THAT(
      error_of_sdf(two_joints("type='ball'|" + position("0 0 0 0"), "type='fixed'|", false)),
      HasSubstr("joint 'j': the quaternion is not a rotation"));
  EXPECT_THAT(warnings_of_sdf(two_joints("type='fixed'|" + position("1"), "type='fixed'|", false)),
              HasSubstr("<torsor:position> of fixed, gearbox joints"));
}

}  // namespace
}  // namespace torsor::test

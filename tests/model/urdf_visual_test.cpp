// <visual> and <material>: which shapes and colours are read, and what is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "model/urdf_file.hpp"

namespace torsor {
namespace {

using test::error_of;
using test::read_text;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

// A robot of one link in line 3, with materials in line 2.
std::string robot(const std::string& visuals, const std::string& materials = "") {
  return "<robot name='r'>\n" + materials + "\n<link name='a'>" + visuals + "</link>\n</robot>\n";
}
std::string visual(const std::string& geometry, const std::string& more = "") {
  return "<visual><geometry>" + geometry + "</geometry>" + more + "</visual>";
}
std::string ball(const std::string& material) {
  return visual("<sphere radius='1'/>", material);
}

std::vector<VisualDescription> visuals_of(const std::string& text) {
  return read_text(text).links.at(0).visuals;
}

// One text for each shape, "r g b a", or "none".
std::vector<std::string> colors_of(const std::string& text) {
  std::vector<std::string> out;
  for (const LinkDescription& link : read_text(text).links)
    for (const VisualDescription& each : link.visuals)
      out.push_back(
          each.color ? fmt::format("{} {} {} {}", each.color->r, each.color->g, each.color->b, each.color->a)
                     : "none");
  return out;
}

TEST(UrdfVisual, ShapesAreReadInOrder) {
  const auto read = visuals_of(robot(visual("<box size='1 2 3'/>") + visual("<mesh filename='a.dae'/>") +
                                     visual("<cylinder length='4' radius='5'/>") +
                                     visual("<!-- round --><sphere radius='6'/>")));
  ASSERT_EQ(read.size(), 3u);
  const auto& box = std::get<Box>(read[0].shape);
  EXPECT_EQ(box.size.x, 1);
  EXPECT_EQ(box.size.y, 2);
  EXPECT_EQ(box.size.z, 3);
  EXPECT_EQ(std::get<Cylinder>(read[1].shape).length, 4);
  EXPECT_EQ(std::get<Cylinder>(read[1].shape).radius, 5);
  EXPECT_EQ(std::get<Sphere>(read[2].shape).radius, 6);
}

// A quarter about z after one about x: x to y, y to z, z to x.
TEST(UrdfVisual, StandsAtItsOrigin) {
  const auto read = visuals_of(robot(visual(
      "<sphere radius='1'/>", fmt::format("<origin xyz='1 2 3' rpy='{0} 0 {0}'/>", std::numbers::pi / 2))));
  const Pose<double>& X = read.at(0).X_LV;
  EXPECT_EQ(X.p.x, 1);
  EXPECT_EQ(X.p.y, 2);
  EXPECT_EQ(X.p.z, 3);
  const double turned[] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(X.R.m[k], turned[k], 1e-15) << k;
}

TEST(UrdfVisual, ColoursAreFoundWhereverTheyAre) {
  const std::string red = "<material name='red'><color rgba='1 0 0 1'/></material>";
  EXPECT_THAT(colors_of(robot(ball(""))), ElementsAre("none"));
  EXPECT_THAT(colors_of(robot(ball("<material><color rgba='.1 .2 .3 .4'/></material>"))),
              ElementsAre("0.1 0.2 0.3 0.4"));
  EXPECT_THAT(colors_of(robot(ball("<material name=''><color rgba='.1 .2 .3 .4'/></material>"))),
              ElementsAre("0.1 0.2 0.3 0.4"));
  EXPECT_THAT(colors_of(robot(ball("<material name=''><color rgba='0 0 1 1'/></material>") +
                              ball("<material name=''/>"))),
              ElementsAre("0 0 1 1", "none"));
  EXPECT_THAT(colors_of(robot(ball("<material name='red'/>"), red)), ElementsAre("1 0 0 1"));
  // named by a mesh of the same file, before and after
  EXPECT_THAT(colors_of(robot(ball("<material name='red'/>") + visual("<mesh filename='m'/>", red) +
                              ball("<material name='red'/>"))),
              ElementsAre("1 0 0 1", "1 0 0 1"));
  // what a shape says itself is before what others mean by the name
  EXPECT_THAT(colors_of(robot(ball("<material name='red'><color rgba='.5 0 0 1'/></material>") +
                                  ball("<material name='red'/>"),
                              red)),
              ElementsAre("0.5 0 0 1", "1 0 0 1"));
}

TEST(UrdfVisual, UnknownMaterialsAreOneWarning) {
  const std::string silver = ball("<material name='silver'/>");
  const auto warnings = read_text(robot(silver + silver + ball("<material name='Gazebo/Black'/>"))).warnings;
  EXPECT_THAT(warnings, ElementsAre(EndsWith(": these materials have no colour in the file, and their shapes "
                                             "none of their own: 'Gazebo/Black', 'silver'")));
  EXPECT_THAT(colors_of(robot(silver)), ElementsAre("none"));
}

TEST(UrdfVisual, MeshesAndTexturesAreCounted) {
  const std::string wood = "<material name='wood'><texture filename='wood.png'/></material>";
  const auto robot_with_mesh =
      read_text(robot(visual("<mesh filename='a.dae'/>", "<material name='silver'/>") +
                          visual("<capsule radius='1' length='1'/>") + ball("<material name='wood'/>"),
                      wood));
  EXPECT_THAT(robot_with_mesh.warnings,
              ElementsAre(EndsWith(": known and not used: 1 <mesh>, 1 <capsule>, 1 <texture>")));
  EXPECT_EQ(robot_with_mesh.links[0].visuals.size(), 1u);
  EXPECT_THAT(read_text(robot(ball(""))).warnings, IsEmpty());
}

struct Malformed {
  std::string name, text, message;
};
class MalformedVisual : public testing::TestWithParam<Malformed> {};
TEST_P(MalformedVisual, IsOneClearLine) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().message);
}

const std::string red = "<material name='red'><color rgba='1 0 0 1'/></material>";
const Malformed malformed[] = {
    {"NoGeometry", robot("<visual/>"), "FILE:3: link 'a': <visual> needs the element <geometry>"},
    {"NoShape", robot(visual("<!-- none -->")),
     "FILE:3: link 'a': <geometry> holds no shape; it takes a box, a cylinder or a sphere"},
    {"TwoShapes", robot(visual("<sphere radius='1'/><box size='1 1 1'/>")),
     "FILE:3: link 'a': <geometry> holds more than one shape; each needs a <visual> of its own"},
    {"BoxWithoutSize", robot(visual("<box/>")), "FILE:3: link 'a': <box> needs the attribute size"},
    {"BoxOfOneNumber", robot(visual("<box size='1'/>")),
     "FILE:3: link 'a': size of <box> needs 3 numbers; '1' has 1"},
    {"FlatBox", robot(visual("\n<box size='1 0 1'/>")),
     "FILE:4: link 'a': the size in y of the box is 0 m; it must be positive and finite"},
    {"NoRadius", robot(visual("<cylinder length='1'/>")),
     "FILE:3: link 'a': <cylinder> needs the attribute radius"},
    {"NegativeLength", robot(visual("<cylinder length='-1' radius='1'/>")),
     "FILE:3: link 'a': the length of the cylinder is -1 m; it must be positive and finite"},
    {"SphereOfNothing", robot(visual("<sphere radius='0'/>")),
     "FILE:3: link 'a': the radius of the sphere is 0 m; it must be positive and finite"},
    {"InfiniteSphere", robot(visual("<sphere radius='inf'/>")),
     "FILE:3: link 'a': radius of <sphere> holds 'inf', which is not a finite number"},
    {"OwnColourTooBright", robot(ball("\n<material><color rgba='0 0 0 255'/></material>")),
     "FILE:4: link 'a': the colour (0, 0, 0, 255) has 255; each part is from 0 to 1"},
    {"OwnNamedColourTooBright", robot(ball("\n<material name='m'><color rgba='0 0 0 255'/></material>")),
     "FILE:4: link 'a': the colour (0, 0, 0, 255) has 255; each part is from 0 to 1"},
    {"ThreeParts", robot("", "<material name='m'><color rgba='1 0 0'/></material>"),
     "FILE:2: material 'm': rgba of <color> needs 4 numbers; '1 0 0' has 3"},
    {"NegativePart", robot("", "<material name='m'><color rgba='1 -0.5 0 1'/></material>"),
     "FILE:2: material 'm': the colour (1, -0.5, 0, 1) has -0.5; each part is from 0 to 1"},
    {"ColourWithoutParts", robot("", "<material name='m'><color/></material>"),
     "FILE:2: material 'm': <color> needs the attribute rgba"},
    {"MaterialOfTheRobotWithoutName", robot("", "<material><color rgba='1 0 0 1'/></material>"),
     "FILE:2: a <material> of the robot needs a name"},
    {"TwinMaterials", robot("", red + "\n" + red),
     "FILE:3: there are two materials named 'red', the first at line 2; give each its own name"},
    {"WrongWord", robot(visual("<bax size='1 1 1'/>")),
     "FILE:3: unknown element <bax> in <geometry>; did you mean 'box'?"},
};
INSTANTIATE_TEST_SUITE_P(Urdf, MalformedVisual, testing::ValuesIn(malformed),
                         [](const auto& index) { return index.param.name; });

}  // namespace
}  // namespace torsor

// Tests of <visual> and <material>: accepted shapes and colours, and rejected ones.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "formats/urdf_file.hpp"

namespace torsor {
namespace {

using test::error_of;
using test::read_text;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

// Returns a robot with the materials in line 2 and one link in line 3.
std::string one_link(const std::string& visuals, const std::string& materials = "") {
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

// Returns the colour of each shape: "r g b a" or "none".
std::vector<std::string> colors_of(const std::string& text) {
  std::vector<std::string> out;
  for (const LinkDescription& link : read_text(text).links)
    for (const VisualDescription& each : link.visuals)
      out.push_back(each.color ? fmt::format("{} {} {} {}", each.color->r, each.color->g,
                                             each.color->b, each.color->a)
                               : "none");
  return out;
}

TEST(UrdfVisual, ShapesAreReadInOrder) {
  const auto read = visuals_of(
      one_link(visual("<box size='1 2 3'/>") + visual("<cylinder length='4' radius='5'/>") +
               visual("<!-- round --><sphere radius='6'/>") +
               visual("<mesh filename='package://a/b.dae' scale='1 -2 3'/>") +
               visual("<mesh filename='c.stl'/>")));
  ASSERT_EQ(read.size(), 5u);
  const auto& box = std::get<Box>(read[0].shape);
  EXPECT_EQ(box.size.x, 1);
  EXPECT_EQ(box.size.y, 2);
  EXPECT_EQ(box.size.z, 3);
  EXPECT_EQ(std::get<Cylinder>(read[1].shape).length, 4);
  EXPECT_EQ(std::get<Cylinder>(read[1].shape).radius, 5);
  EXPECT_EQ(std::get<Sphere>(read[2].shape).radius, 6);
  const auto &mesh = std::get<MeshFile>(read[3].shape), &other = std::get<MeshFile>(read[4].shape);
  EXPECT_EQ(mesh.file, "package://a/b.dae");
  EXPECT_EQ(mesh.scale.y, -2);
  EXPECT_THAT(mesh.source, EndsWith(":3"));
  EXPECT_EQ(other.file, "c.stl");
  EXPECT_EQ(other.scale.z, 1);
}

// Checks an origin with a quarter turn about x and then one about z. It maps x to y, y to z and z
// to x.
TEST(UrdfVisual, IsAtItsOrigin) {
  const auto read = visuals_of(
      one_link(visual("<sphere radius='1'/>",
                      fmt::format("<origin xyz='1 2 3' rpy='{0} 0 {0}'/>", std::numbers::pi / 2))));
  const Pose<double>& X = read.at(0).X_LV;
  EXPECT_EQ(X.p.x, 1);
  EXPECT_EQ(X.p.y, 2);
  EXPECT_EQ(X.p.z, 3);
  const double turned[] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(X.R.m[k], turned[k], 1e-15) << k;
}

TEST(UrdfVisual, ColoursAreFoundWhereverTheyAre) {
  const std::string red = "<material name='red'><color rgba='1 0 0 1'/></material>";
  EXPECT_THAT(colors_of(one_link(ball(""))), ElementsAre("none"));
  EXPECT_THAT(colors_of(one_link(ball("<material><color rgba='.1 .2 .3 .4'/></material>"))),
              ElementsAre("0.1 0.2 0.3 0.4"));
  EXPECT_THAT(colors_of(one_link(ball("<material name=''><color rgba='.1 .2 .3 .4'/></material>"))),
              ElementsAre("0.1 0.2 0.3 0.4"));
  EXPECT_THAT(colors_of(one_link(ball("<material name=''><color rgba='0 0 1 1'/></material>") +
                                 ball("<material name=''/>"))),
              ElementsAre("0 0 1 1", "none"));
  EXPECT_THAT(colors_of(one_link(ball("<material name='red'/>"), red)), ElementsAre("1 0 0 1"));
  // A colour that one shape defines applies by its name to shapes before and after it.
  EXPECT_THAT(
      colors_of(one_link(ball("<material name='red'/>") + visual("<mesh filename='m'/>", red) +
                         ball("<material name='red'/>"))),
      ElementsAre("1 0 0 1", "1 0 0 1", "1 0 0 1"));
  // The colour in the shape itself takes precedence over the colour of its name.
  EXPECT_THAT(colors_of(one_link(ball("<material name='red'><color rgba='.5 0 0 1'/></material>") +
                                     ball("<material name='red'/>"),
                                 red)),
              ElementsAre("0.5 0 0 1", "1 0 0 1"));
}

TEST(UrdfVisual, UnknownMaterialsAreOneWarning) {
  const std::string silver = ball("<material name='silver'/>");
  const auto warnings =
      read_text(one_link(silver + silver + ball("<material name='Gazebo/Black'/>"))).warnings;
  EXPECT_THAT(warnings, ElementsAre(EndsWith(
                            ".urdf:3: no colour is defined for these materials: 'Gazebo/Black', "
                            "'silver'")));
  EXPECT_THAT(colors_of(one_link(silver)), ElementsAre("none"));
}

TEST(UrdfVisual, PlanesAndTexturesAreCounted) {
  const std::string wood = "<material name='wood'><texture filename='wood.png'/></material>";
  const auto robot_with_mesh =
      read_text(one_link(visual("<mesh filename='a.dae'/>") + visual("<plane normal='0 0 1'/>") +
                             ball("<material name='wood'/>"),
                         wood));
  EXPECT_THAT(
      robot_with_mesh.warnings,
      ElementsAre(EndsWith(": words without effect: <texture> (line 2), <plane> (line 3)")));
  EXPECT_EQ(robot_with_mesh.links[0].visuals.size(), 2u);
  EXPECT_THAT(read_text(one_link(ball(""))).warnings, IsEmpty());
}

TEST(UrdfVisual, AnUnknownShapeIsLeftOutAndCounted) {
  const std::string text = one_link(visual("<bax size='1 1 1'/>"));
  EXPECT_TRUE(read_text(text).links[0].visuals.empty());
  EXPECT_EQ(test::warning_of(text),
            "FILE: unknown words: element <bax> in <geometry> (line 3; did you mean 'box'?)");
  EXPECT_EQ(error_of(text, test::strictly),
            "FILE:3: unknown element <bax> in <geometry>; did you mean 'box'?");
}

class MalformedVisual : public testing::TestWithParam<test::MalformedUrdf> {};
TEST_P(MalformedVisual, IsOneClearLine) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().error);
}

const std::string red = "<material name='red'><color rgba='1 0 0 1'/></material>";
const test::MalformedUrdf malformed_visuals[] = {
    {"NoGeometry", one_link("<visual/>"),
     "FILE:3: link 'a': <visual> needs the element <geometry>"},
    {"NoShape", one_link(visual("<!-- none -->")),
     "FILE:3: link 'a': <geometry> has no shape; give it a box, a cylinder, a sphere, a capsule or "
     "a mesh"},
    {"TwoShapes", one_link(visual("<sphere radius='1'/><box size='1 1 1'/>")),
     "FILE:3: link 'a': <geometry> has more than one shape; give each its own <visual>"},
    {"BoxWithoutSize", one_link(visual("<box/>")),
     "FILE:3: link 'a': <box> needs the attribute size"},
    {"BoxOfOneNumber", one_link(visual("<box size='1'/>")),
     "FILE:3: link 'a': size of <box> needs 3 numbers; '1' has 1"},
    {"FlatBox", one_link(visual("\n<box size='1 0 1'/>")),
     "FILE:4: link 'a': the size in y of the box is 0 m; it must be positive and finite"},
    {"NoRadius", one_link(visual("<cylinder length='1'/>")),
     "FILE:3: link 'a': <cylinder> needs the attribute radius"},
    {"NegativeLength", one_link(visual("<cylinder length='-1' radius='1'/>")),
     "FILE:3: link 'a': the length of the cylinder is -1 m; it must be positive and finite"},
    {"SphereOfNothing", one_link(visual("<sphere radius='0'/>")),
     "FILE:3: link 'a': the radius of the sphere is 0 m; it must be positive and finite"},
    {"InfiniteSphere", one_link(visual("<sphere radius='inf'/>")),
     "FILE:3: link 'a': radius of <sphere> contains 'inf', which is not a finite number"},
    {"MeshWithoutFile", one_link(visual("<mesh scale='1 1 1'/>")),
     "FILE:3: link 'a': <mesh> needs the attribute filename"},
    {"MeshOfNoName", one_link(visual("<mesh filename=''/>")),
     "FILE:3: link 'a': the mesh has no file name"},
    {"FlatMesh", one_link(visual("<mesh filename='a.stl' scale='1 1 0'/>")),
     "FILE:3: link 'a': the scale in z of the mesh is 0; it must be finite and not 0"},
    {"OwnColourTooBright", one_link(ball("\n<material><color rgba='0 0 0 255'/></material>")),
     "FILE:4: link 'a': the colour (0, 0, 0, 255) has 255; each part is from 0 to 1"},
    {"OwnNamedColourTooBright",
     one_link(ball("\n<material name='m'><color rgba='0 0 0 255'/></material>")),
     "FILE:4: link 'a': the colour (0, 0, 0, 255) has 255; each part is from 0 to 1"},
    {"ThreeParts", one_link("", "<material name='m'><color rgba='1 0 0'/></material>"),
     "FILE:2: material 'm': rgba of <color> needs 4 numbers; '1 0 0' has 3"},
    {"NegativePart", one_link("", "<material name='m'><color rgba='1 -0.5 0 1'/></material>"),
     "FILE:2: material 'm': the colour (1, -0.5, 0, 1) has -0.5; each part is from 0 to 1"},
    {"ColourWithoutParts", one_link("", "<material name='m'><color/></material>"),
     "FILE:2: material 'm': <color> needs the attribute rgba"},
    {"MaterialOfTheRobotWithoutName", one_link("", "<material><color rgba='1 0 0 1'/></material>"),
     "FILE:2: a <material> of the robot needs a name"},
    {"TwinMaterials", one_link("", red + "\n" + red),
     "FILE:3: there are two materials named 'red', the first at line 2; give each its own name"},
};
INSTANTIATE_TEST_SUITE_P(Urdf, MalformedVisual, testing::ValuesIn(malformed_visuals),
                         [](const auto& index) { return index.param.name; });

}  // namespace
}  // namespace torsor

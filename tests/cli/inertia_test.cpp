// Tests of torsor inertia.

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.hpp"
#include "support/tetrahedron.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

class Inertia : public Program {};

// The tetrahedron has orthogonal edges of 1, 2 and 3 m, so that its volume is 1 m^3, and I_xx about
// its centre is 3/80 m (2^2 + 3^2).
TEST_F(Inertia, IsPrintedForLuaAndUrdf) {
  const std::string mesh = file("t.stl", tetrahedron_stl);
  const Output by_density = torsor({"inertia", mesh, "--density", "80"});
  EXPECT_EQ(by_density.exit_code, 0) << by_density.err;
  EXPECT_THAT(by_density.out, HasSubstr("volume     1 m^3\n"));
  EXPECT_THAT(by_density.out, HasSubstr("inertia = { mass = 80, com = {0.25, 0.5, 0.75},\n"));
  EXPECT_THAT(by_density.out, HasSubstr("about_com = { Ixx = 39, Iyy = 30, Izz = 15, Ixy = 2, "
                                        "Ixz = 3, Iyz = 6 } }"));
  EXPECT_THAT(by_density.out, HasSubstr("<inertia ixx=\"39\" ixy=\"2\" ixz=\"3\" iyy=\"30\""));
  const Output by_mass = torsor({"inertia", mesh, "--mass", "80"});
  EXPECT_EQ(by_mass.out, by_density.out);
  EXPECT_THAT(torsor({"inertia", mesh, "--mass", "80", "--scale", "0.1"}).out,
              HasSubstr("com = {0.025, 0.05, 0.075},\n             about_com = { Ixx = 0.39"));
}

TEST_F(Inertia, NeedsAClosedMeshAndOneAmount) {
  std::string open = tetrahedron_stl;
  open.resize(open.rfind("facet normal"));
  const std::string closed = file("t.stl", tetrahedron_stl),
                    hole = file("open.stl", open + "endsolid t\n");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{closed}, "give either --density or --mass"},
      {{closed, "--density", "1", "--mass", "1"}, "give either --density or --mass"},
      {{closed, "--density", "0"}, "--density"},
      {{closed, "--mass", "nan"}, "--mass"},
      {{hole, "--mass", "1"}, "open.stl: the mesh is not closed: 3 edges"},
      {{"none.stl", "--mass", "1"}, "none.stl: there is no such file"},
      {{file("a.ply", "ply"), "--mass", "1"}, "unknown format; use .stl, .obj, .dae or .msh"}};
  for (const auto& [words, message] : cases) {
    std::vector<std::string> arguments{"inertia"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
  }
}

}  // namespace
}  // namespace torsor::test

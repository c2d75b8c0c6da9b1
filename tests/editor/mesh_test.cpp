// Tests of meshes of visuals: drawing, picking, and messages about missing files.

#include <gmock/gmock.h>

#include "editor/points.hpp"
#include "editor/view/shapes.hpp"
#include "support/eventually.hpp"
#include "support/mesh_folder.hpp"
#include "support/tetrahedron.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;

using Meshes = torsor::test::MeshFolder;

// Checks a mesh file that exists and one that does not. The link of the missing mesh is drawn as if
// it had no visuals.
TEST_F(Meshes, AreDrawnOnTheirLinks) {
  write("robots/t.stl", torsor::test::tetrahedron_stl);
  const auto link = [&](const char* name, const char* parent, const char* file) {
    LinkDescription out;
    out.name = name;
    out.parent = parent;
    out.joint = {
        .name = std::string(name) + "_joint",
        .kind = JointKind::revolute,
        .placement = ScrewPlacement{translation<double>({0, 0, *parent ? -1.0 : 0.0}), {0, 1, 0}}};
    out.inertia = inertia_about_com(1, {0, 0, -0.5}, {0.1, 0.1, 0.01, 0, 0, 0});
    out.visuals = {{translation<double>({0, 0, -0.5}), MeshFile{file, {0.1, 0.1, -0.1}, source()},
                    Color{1, 0, 0, 1}}};
    return out;
  };
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {link("upper", "", "t.stl"), link("lower", "upper", "none.stl")};
  const auto model = build(robot);
  MeshStore store;
  store.request(*model);
  EXPECT_TRUE(torsor::test::eventually([&] { return !store.busy(); }));
  EXPECT_THAT(store.take_failures(),
              ElementsAre(testing::MatchesRegex(
                  source() + ": mesh 'none.stl' is not drawn: file not found: '.*none.stl'")));
  EXPECT_THAT(store.take_failures(), ElementsAre());
  const Shapes shapes = shapes_of(*model, store.loaded());
  int automatic = 0;
  std::vector<Solid> of_mesh;
  const std::vector<Pose<double>> X_WB = world_poses(State(model));
  for (const auto& [body, solid] : shapes.solids) {
    if (solid.surface) of_mesh.push_back(solid), of_mesh.back().X = X_WB[size_t(body)] * solid.X;
    automatic += solid.link == 1;
    EXPECT_TRUE(solid.link != 0 || solid.surface);
  }
  EXPECT_GT(automatic, 1);
  ASSERT_EQ(of_mesh.size(), 1u);
  EXPECT_EQ(of_mesh[0].color.r, 1);
  // The slanted face of the mesh is 6x + 3y + 2z = 6 in the units of the file. The mesh is mirrored
  // and scaled. The first ray hits this face, the second one hits a flat face.
  const auto hit = pick({{0.02, 0.02, -2}, {0, 0, 1}}, of_mesh);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 2 - 0.5 - 0.1 * (6 - 6 * 0.2 - 3 * 0.2) / 2, 1e-7);
  EXPECT_NEAR(pick({{0.02, 0.02, 3}, {0, 0, -1}}, of_mesh)->distance, 3.5, 1e-7);
  EXPECT_FALSE(pick({{0.09, 0.19, -2}, {0, 0, 1}}, of_mesh));
  // Only changed meshes are read again.
  const Surfaces before = store.loaded()[0];
  store.request(*model);
  EXPECT_TRUE(torsor::test::eventually([&] { return !store.busy(); }));
  EXPECT_EQ(store.loaded()[0], before);
}

}  // namespace
}  // namespace torsor::editor::test

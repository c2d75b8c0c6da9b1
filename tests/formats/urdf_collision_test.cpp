// Tests of <collision>: shapes on request, and rejected ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/urdf_file.hpp"
#include "support/error_of.hpp"
#include "support/mesh_folder.hpp"
#include "support/tetrahedron.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor {
namespace {

using testing::HasSubstr;

std::string with_collisions(const std::string& collisions) {
  return "<robot name='r'>\n<link name='a'>\n" + collisions + "\n</link>\n</robot>\n";
}
std::string collision_of(const std::string& geometry) {
  return "<collision name='c'><origin xyz='1 2 3' rpy='0 0 0'/><geometry>" + geometry +
         "</geometry></collision>";
}

class UrdfCollision : public test::MeshFolder {
 protected:
  RobotDescription read_robot(const std::string& text, bool collisions = true) const {
    return read_robot_file(write("robot.urdf", text), {.collisions = collisions});
  }
};

TEST_F(UrdfCollision, IsReadOnRequestOnly) {
  const std::string text = with_collisions(
      collision_of("<box size='1 2 3'/>") + collision_of("<cylinder length='4' radius='5'/>") +
      collision_of("<sphere radius='6'/>") + collision_of("<capsule length='2' radius='1'/>"));
  const RobotDescription without = read_robot(text, false);
  EXPECT_TRUE(without.links[0].collisions.empty());
  ASSERT_EQ(without.warnings.size(), 1u);
  EXPECT_THAT(without.warnings[0], HasSubstr("words without effect: <collision> (4 times"));
  const RobotDescription robot = read_robot(text);
  const auto& shapes = robot.links[0].collisions;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0].shape.kind, ShapeKind::box);
  EXPECT_EQ(shapes[0].shape.size.z, 1.5);
  EXPECT_EQ(shapes[1].shape.kind, ShapeKind::cylinder);
  EXPECT_EQ(shapes[1].shape.size.x, 5);
  EXPECT_EQ(shapes[1].shape.size.z, 2);
  EXPECT_EQ(shapes[2].shape.kind, ShapeKind::sphere);
  EXPECT_EQ(shapes[3].shape.kind, ShapeKind::capsule);
  for (const CollisionDescription& each : shapes) EXPECT_EQ(each.X_LC.p.y, 2);
  EXPECT_THAT(shapes[1].source, HasSubstr(".urdf:3"));
  const auto model = build(robot);
  EXPECT_EQ(model->colliders[3].name, "a_4");
}

TEST_F(UrdfCollision, OfAMeshIsItsHull) {
  write("hull.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\n"
        "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 5 3\n");  // open, and not convex
  const auto robot =
      read_robot(with_collisions(collision_of("<mesh filename='hull.obj' scale='2 2 -1'/>")));
  const CollisionShape& shape = robot.links[0].collisions.at(0).shape;
  ASSERT_EQ(shape.kind, ShapeKind::convex);
  EXPECT_EQ(shape.hull->vertices.size(), 4u);
  EXPECT_EQ(shape.hull->n_face(), 4u);
  write("hull.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
  EXPECT_THAT(test::error_of([&] {
                (void)read_robot(with_collisions(collision_of("<mesh filename='hull.obj'/>")));
              }),
              HasSubstr(".urdf:3: link 'a': mesh 'hull.obj': all points are in a "
                        "plane, so the hull has no volume"));
}

TEST_F(UrdfCollision, IsRejected) {
  const auto error = [this](const std::string& collisions) {
    return test::error_of([&] { (void)read_robot(with_collisions(collisions)); });
  };
  EXPECT_THAT(error("<collision/>"),
              HasSubstr(".urdf:3: link 'a': <collision> needs the element <geometry>"));
  EXPECT_THAT(error(collision_of("<sphere radius='1'/><box size='1 1 1'/>")),
              HasSubstr("more than one shape; give each its own <collision>"));
  EXPECT_THAT(error(collision_of("<sphere radius='-1'/>")),
              HasSubstr("the radius of the sphere is -1 m; it must be positive and finite"));
  EXPECT_THAT(error(collision_of("<mesh filename='missing.stl'/>")),
              HasSubstr("mesh 'missing.stl': file not found"));
}

}  // namespace
}  // namespace torsor

// Meshes of MJCF from files: STL, OBJ and MSH give the inertia of the same triangles in the
// element.

#include <array>
#include <cstring>

#include "formats/mjcf_file.hpp"

namespace torsor::test {
namespace {

// A tetrahedron with the corners 0, (3, 0, 0), (0, 2, 0) and (0, 0, 1).
constexpr float corner[4][3] = {{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {0, 0, 1}};
constexpr int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string stl() {
  std::string out(80, ' ');
  append(out, uint32_t(4));
  for (const auto& f : face) {
    append(out, std::array<float, 3>{0, 0, 1});
    for (const int c : f) append(out, corner[c]);
    append(out, uint16_t(0));
  }
  return out;
}
std::string msh() {
  std::string out;
  append(out, std::array<int, 4>{4, 0, 0, 4});
  append(out, corner);
  append(out, face);
  return out;
}
std::string obj() {
  return "# a comment\no m\nv 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\nf 1//1 "
         "4//1 "
         "3//1\nf -3 -2 -1\n";
}

std::string robot(const std::string& mesh) {
  return mjcf("<compiler meshdir='meshes'/><asset><mesh name='m' " + mesh +
              "/></asset><worldbody><body name='b'><geom type='mesh' mesh='m' mass='2'/></body>"
              "</worldbody>");
}

// Sum of the differences of all numbers.
double difference(const SpatialInertia<double>& a, const SpatialInertia<double>& b) {
  const auto numbers = [](const SpatialInertia<double>& M) {
    std::array<double, 10> out;
    std::memcpy(out.data(), &M, sizeof out);
    return out;
  };
  double sum = 0;
  for (size_t k = 0; k < 10; ++k) sum += std::abs(numbers(a)[k] - numbers(b)[k]);
  return sum;
}

TEST(MjcfMeshes, OfAllFormatsHaveTheSameInertia) {
  const SpatialInertia<double> expected =
      read_mjcf_text(robot("vertex='0 0 0 3 0 0 0 2 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'"))
          .links[0]
          .inertia;
  // The COM of a tetrahedron is the mean of its corners.
  EXPECT_NEAR(expected.h.x, 2 * 0.75, 1e-6);
  EXPECT_NEAR(expected.h.z, 2 * 0.25, 1e-6);
  MjcfFolder folder("");
  std::filesystem::create_directories(folder.folder() + "/meshes");
  folder.add("meshes/m.stl", stl());
  folder.add("meshes/m.msh", msh());
  folder.add("meshes/m.obj", obj());
  for (const char* file : {"m.stl", "m.msh", "m.obj"}) {
    folder.add("robot.xml", robot("file='" + std::string(file) + "'"));
    const RobotDescription read = read_robot_file(folder.path(), {.collisions = true});
    EXPECT_LT(difference(read.links[0].inertia, expected), 1e-14) << file;
    EXPECT_EQ(read.links[0].visuals.size(), 1u);
    EXPECT_EQ(read.links[0].collisions.size(), 1u);
  }
  EXPECT_EQ(read_mesh(folder.folder() + "/meshes/m.msh")[0].corners.size(), 12u);
}

TEST(MjcfMeshes, ThatAreCutAreErrors) {
  MjcfFolder folder("");
  for (const char* file : {"m.stl", "m.msh", "m.obj"}) {
    const std::string whole = file[2] == 's' ? stl() : file[2] == 'm' ? msh() : obj();
    folder.add("robot.xml", robot("file='" + std::string(file) + "'"));
    std::filesystem::create_directories(folder.folder() + "/meshes");
    for (size_t size = 0; size < whole.size(); size += 7) {
      folder.add("meshes/" + std::string(file), whole.substr(0, size));
      const std::string error = mjcf_error(folder);
      if (file[2] != 'o') {
        EXPECT_EQ(error.substr(0, 21), "robot.xml:2: mesh 'm'") << size << error;
      }
    }
  }
}

}  // namespace
}  // namespace torsor::test

// Tests of mesh files: search, permission, reading, the inertia of solid meshes, and messages about
// missing and corrupt files.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/error_of.hpp"
#include "support/mesh_folder.hpp"
#include "support/tetrahedron.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/mesh/solid_inertia.hpp"

namespace torsor::mesh_test {
namespace {

using test::error_of;
using test::tetrahedron_stl;
using testing::HasSubstr, testing::Not;
namespace fs = std::filesystem;

constexpr const char* obj = R"(mtllib t.mtl
v 0 0 0
v 1 0 0
v 0 2 0
v 0 0 3
usemtl red
f 1 3 2
f 1 2 4
usemtl blue
f 1 4 3
f 2 3 4
)";
constexpr const char* mtl = "newmtl red\nKd 1 0 0\n\nnewmtl blue\nKd 0 0 1\nd 0.5\n";
// The same tetrahedron in centimetres, with its y axis up.
constexpr const char* dae = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><lambert><diffuse><color>0 1 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="green"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 200 0 0 0 300</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4" material="s"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene>
</COLLADA>
)";

class Meshes : public test::MeshFolder {
 protected:
  std::string reading(const fs::path& name, std::string_view text) const {
    const fs::path file = write(name, text);
    return error_of([&] { read_mesh(file); });
  }
};

TEST_F(Meshes, OfEveryKindAreReadAsTheyStand) {
  write("t.mtl", mtl);
  const std::vector<Surface> of_stl = read_mesh(write("t.STL", tetrahedron_stl)),
                             of_obj = read_mesh(write("t.obj", obj)),
                             of_dae = read_mesh(write("t.dae", dae));
  ASSERT_EQ(of_stl.size(), 1u);
  ASSERT_EQ(of_obj.size(), 2u);
  ASSERT_EQ(of_dae.size(), 1u);
  for (const Surface* surface : {&of_stl[0], &of_dae[0]}) {
    EXPECT_EQ(surface->corners.size(), 12u);
    EXPECT_EQ(norm(surface->low), 0);
    EXPECT_NEAR(norm(surface->high - Vec3<double>{1, 2, 3}), 0, 1e-6);
  }
  EXPECT_EQ(of_obj[0].corners.size() + of_obj[1].corners.size(), 12u);
  EXPECT_FALSE(of_stl[0].color);
  ASSERT_TRUE(of_obj[0].color && of_obj[1].color && of_dae[0].color);
  EXPECT_EQ(of_obj[0].color->r + of_obj[1].color->r, 1);
  EXPECT_EQ(of_obj[0].color->b + of_obj[1].color->b, 1);
  EXPECT_EQ(of_obj[0].color->a + of_obj[1].color->a, 1.5);
  EXPECT_EQ(of_dae[0].color->g, 1);
  // Flat faces stay flat: no normal is averaged over an edge of 90 degrees.
  const std::vector<float>& v = of_stl[0].vertices;
  for (size_t k = 0; k < v.size(); k += 6)
    EXPECT_TRUE(v[k + 3] == -1 || v[k + 4] == -1 || v[k + 5] == -1 || v[k + 3] > 0.5f) << k / 6;
}

TEST_F(Meshes, CorruptFilesHaveShortMessages) {
  EXPECT_EQ(reading("a.stl", ""), "the file is empty; export it again");
  EXPECT_EQ(reading("a.ply", "ply"), "unknown format; use .stl, .obj, .dae or .msh");
  EXPECT_THAT(reading("b.stl", std::string(90, '\xff')), HasSubstr("the file is corrupt: "));
  EXPECT_THAT(reading("b.dae", "<COLLADA"), HasSubstr("the file is corrupt: "));
  EXPECT_THAT(reading("c.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"), testing::StartsWith("the file "));
  EXPECT_THAT(reading("d.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n"),
              testing::AnyOf(HasSubstr("finite"), HasSubstr("corrupt")));
  const fs::path large = write("e.stl", "solid");
  fs::resize_file(large, 300u << 20);  // a sparse file
  EXPECT_EQ(error_of([&] { read_mesh(large); }),
            "the file is larger than 256 MiB, the limit for meshes; reduce it");
  EXPECT_THAT(error_of([&] { read_mesh(folder / "none.stl"); }),
              HasSubstr("there is no such file"));
}

TEST_F(Meshes, AreFoundByNameAndPackage) {
  const fs::path beside = write("robots/meshes/hand.stl", tetrahedron_stl),
                 packed = write("hand_description/meshes/hand.stl", tetrahedron_stl),
                 elsewhere = write("other/place/arm_description/meshes/arm.stl", tetrahedron_stl);
  const auto found = [&](const std::string& name) {
    return fs::weakly_canonical(find_mesh({.file = name, .source = source()}));
  };
  EXPECT_EQ(found("meshes/hand.stl"), fs::canonical(beside));
  EXPECT_EQ(found(beside), fs::canonical(beside));
  EXPECT_EQ(found("file://" + beside.string()), fs::canonical(beside));
  // a package next to the folder of the URDF file
  EXPECT_EQ(found("package://hand_description/meshes/hand.stl"), fs::canonical(packed));
  // the package that contains the URDF file
  EXPECT_EQ(found("package://robots/meshes/hand.stl"), fs::canonical(beside));
  const std::string name = "package://arm_description/meshes/arm.stl";
  EXPECT_THAT(error_of([&] { found(name); }), testing::StartsWith("file not found: '"));
  setenv("ROS_PACKAGE_PATH",
         (folder / "none").string().append(":").append(folder / "other/place").c_str(), 1);
  EXPECT_EQ(found(name), fs::canonical(elsewhere));
  unsetenv("ROS_PACKAGE_PATH");
  EXPECT_EQ(error_of([&] { found("https://example.org/a.stl"); }),
            "it is a URL, not a file name; use a path");
}

// Checks that files outside the folders of the scene, and links to them, need a permission.
TEST_F(Meshes, OutsideTheFoldersOfTheSceneNeedAPermission) {
  const fs::path secret = write("a/secret/s.stl", tetrahedron_stl);
  write("a/b/robots/arm.urdf", "");
  fs::create_symlink(secret, folder / "a/b/robots/link.stl");
  const MeshFile by_path{.file = "../../secret/s.stl",
                         .source = (folder / "a/b/robots/arm.urdf").string() + ":7"};
  for (const std::string& name : {by_path.file, secret.string(), "file://" + secret.string(),
                                  std::string("link.stl"), std::string("package://secret/s.stl")}) {
    const MeshFile mesh{.file = name, .source = by_path.source};
    EXPECT_THAT(error_of([&] { find_mesh(mesh); }), HasSubstr("if you trust it: torsor trust '"))
        << name;
    EXPECT_EQ(fs::canonical(find_mesh(mesh, {.folder = folder / "a"})), fs::canonical(secret))
        << name;
    std::string asked;
    find_mesh(mesh, {.permission = [&](const fs::path& file, const std::string&) {
                asked = file;
                return true;
              }});
    EXPECT_EQ(asked, fs::canonical(secret)) << name;
  }
  // Checks that a file that is denied is asked for once.
  int questions = 0;
  for (const std::string name : {"../../secret/s.stl", "package://secret/s.stl", "link.stl"}) {
    questions = 0;
    error_of([&] {
      find_mesh({.file = name, .source = by_path.source},
                {.permission = [&](const fs::path&, const std::string&) {
                  ++questions;
                  return false;
                }});
    });
    EXPECT_EQ(questions, 1) << name;
  }
  // Checks that messages do not contain the target of a link, inside the folders or outside.
  fs::create_symlink(folder / "a/secret/deep/s.stl", folder / "a/secret/link.stl");
  for (const std::string name : {"link.stl", "../../secret/link.stl"}) {
    const std::string message =
        error_of([&] { find_mesh(MeshFile{.file = name, .source = by_path.source}); });
    EXPECT_THAT(message, HasSubstr("outside the folder of the scene")) << name;
    EXPECT_THAT(message, Not(HasSubstr("deep"))) << name;
    EXPECT_EQ(message.find("secret") != message.npos, name != "link.stl") << message;
  }
  // A file that does not exist has the same message.
  for (const std::string name : {"../../secret/none.stl", "package://secret/none.stl"}) {
    const std::string existing = replaced(name, "none", "s");
    const auto message = [&](const std::string& file) {
      return replaced(
          error_of([&] { find_mesh(MeshFile{.file = file, .source = by_path.source}); }), file, "");
    };
    EXPECT_EQ(replaced(message(name), "none.stl", "s.stl"), message(existing));
  }
  write("a/secret/package.xml", "<package/>");
  EXPECT_EQ(fs::canonical(find_mesh(by_path)), fs::canonical(secret));
}

// Checks that the materials of an OBJ file are read from its folder only.
TEST_F(Meshes, ReadNoMaterialsOutsideTheirFolder) {
  write("secret.mtl", mtl);
  write("in/t.mtl", mtl);
  std::string text = obj;
  const auto colours = [&] {
    int count = 0;
    for (const Surface& surface :
         // The folder has no file o.mtl, which assimp would read instead.
         read_mesh(write("in/o.obj", text)))
      count += surface.color && surface.color->g == 0;  // the default colour of assimp is grey
    return count;
  };
  EXPECT_EQ(colours(), 2);
  text.replace(text.find("t.mtl"), 5, "../secret.mtl");
  EXPECT_EQ(colours(), 0);
  fs::create_symlink(folder / "secret.mtl", folder / "in/link.mtl");
  text.replace(text.find("../secret.mtl"), 13, "link.mtl");
  EXPECT_EQ(colours(), 0);
}

// The tetrahedron with corners 0, a x, b y, c z has the volume abc/6, the centre (a, b, c)/4, and
// int x^2 dV = a^2 V/10, int xy dV = ab V/20.
TEST_F(Meshes, HaveTheInertiaOfTheirSolid) {
  write("robots/t.stl", tetrahedron_stl);
  const std::vector<VisualDescription> shapes = {
      {translation<double>({0, 0, 5}), MeshFile{"t.stl", {0.1, -0.1, 0.1}, source()}, {}},
      {translation<double>({1, 0, 0}), Box{{0.1, 0.1, 0.1}}, {}}};
  const SpatialInertia<double> M = solid_inertia(shapes, 1000, {}),
                               of_box = solid_inertia({shapes[1]}, 1000, {});
  const double a = 0.1, b = -0.2, c = 0.3, m = 1000 * 0.001;
  const SpatialInertia<double> here{
      m,
      {m * a / 4, m * b / 4, m * c / 4},
      {m * (b * b + c * c) / 10, m * (a * a + c * c) / 10, m * (a * a + b * b) / 10,
       -m * a * b / 20, -m * a * c / 20, -m * b * c / 20}};
  const SpatialInertia<double> expected = transform(shapes[0].X_LV, here) + of_box;
  EXPECT_NEAR(M.m, expected.m, 1e-7);  // files contain single precision
  EXPECT_NEAR(norm(M.h - expected.h), 0, 1e-6);
  const Sym3<double> difference = M.I - expected.I;
  EXPECT_NEAR(std::abs(difference.xx) + std::abs(difference.yy) + std::abs(difference.zz) +
                  std::abs(difference.xy) + std::abs(difference.xz) + std::abs(difference.yz),
              0, 1e-5);
  const SpatialInertia<double> heavy = solid_inertia_of_mass(shapes, 3 * M.m, {});
  EXPECT_NEAR(heavy.m, 3 * M.m, 1e-12);
  EXPECT_NEAR(heavy.I.xy, 3 * M.I.xy, 1e-12);
  std::string open = tetrahedron_stl;
  open.resize(open.rfind("facet normal"));
  write("robots/open.stl", open + "endsolid t\n");
  EXPECT_THAT(error_of([&] {
                solid_inertia({{{}, MeshFile{"open.stl", {1, 1, 1}, source()}, {}}}, 1, {});
              }),
              HasSubstr("mesh 'open.stl': the mesh is not closed: 3 edges"));
}

}  // namespace
}  // namespace torsor::mesh_test

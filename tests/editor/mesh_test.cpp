// Tests of meshes of visuals: search, reading, drawing, picking, and messages about missing files.

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "editor/points.hpp"
#include "editor/view/shapes.hpp"
#include "support/error_of.hpp"
#include "support/eventually.hpp"
#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using torsor::test::error_of;
namespace fs = std::filesystem;

// A tetrahedron with corners 0, (1, 0, 0), (0, 2, 0), (0, 0, 3).
constexpr const char* stl = R"(solid t
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 2 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 3
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 3
vertex 0 2 0
endloop
endfacet
facet normal 6 3 2
outer loop
vertex 1 0 0
vertex 0 2 0
vertex 0 0 3
endloop
endfacet
endsolid t
)";
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

class Meshes : public testing::Test {
 protected:
  fs::path folder = [] {
    std::string name = fs::temp_directory_path() / "torsor-mesh-XXXXXX";
    return fs::path(mkdtemp(name.data()));
  }();
  ~Meshes() override { fs::remove_all(folder); }

  fs::path write(const fs::path& name, std::string_view text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  std::string source() const { return (folder / "robots/arm.urdf").string() + ":7"; }
  std::string reading(const fs::path& name, std::string_view text) const {
    const fs::path file = write(name, text);
    return error_of([&] { read_mesh(file); });
  }
};

TEST_F(Meshes, OfEveryKindAreReadAsTheyStand) {
  write("t.mtl", mtl);
  const std::vector<Surface> of_stl = read_mesh(write("t.STL", stl)),
                             of_obj = read_mesh(write("t.obj", obj)),
                             of_dae = read_mesh(write("t.dae", dae));
  ASSERT_EQ(of_stl.size(), 1u);
  ASSERT_EQ(of_obj.size(), 2u);
  ASSERT_EQ(of_dae.size(), 1u);
  for (const Surface* surface : {&of_stl[0], &of_dae[0]}) {
    EXPECT_EQ(surface->corners.size(), 12u);
    expect_near(surface->low, {0, 0, 0}, 0);
    expect_near(surface->high, {1, 2, 3}, 1e-6);
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
  EXPECT_EQ(reading("a.ply", "ply"), "unknown format; use .stl, .obj or .dae");
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
  const fs::path beside = write("robots/meshes/hand.stl", stl),
                 packed = write("hand_description/meshes/hand.stl", stl),
                 elsewhere = write("other/place/arm_description/meshes/arm.stl", stl);
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
  const fs::path secret = write("a/secret/s.stl", stl);
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
    find_mesh(mesh, {.permission = [&](const AccessRequest& request) {
                asked = request.file;
                return true;
              }});
    EXPECT_EQ(asked, fs::canonical(secret)) << name;
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

// Checks a mesh file that exists and one that does not. The link of the missing mesh is drawn as if
// it had no visuals.
TEST_F(Meshes, AreDrawnOnTheirLinks) {
  write("robots/t.stl", stl);
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

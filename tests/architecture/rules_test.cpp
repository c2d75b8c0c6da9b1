// Checks that the source tree obeys the rules, and tests each rule on trees that violate it.

#include "architecture/rules.hpp"

#include <gmock/gmock.h>

#include "architecture/temporary_tree.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Rules : public TemporaryTree {
 protected:
  std::vector<std::string> includes() const { return include_violations(root_); }
  std::vector<std::string> kinds() const { return joint_kind_violations(root_); }
};

TEST(Tree, IncludesAreDownward) {
  EXPECT_GT(count_includes(TORSOR_SOURCE_DIR), 100u) << "the test no longer reads the tree";
  EXPECT_THAT(include_violations(TORSOR_SOURCE_DIR), IsEmpty());
}

TEST(Tree, JointKindsAreDistinguishedInOneFile) {
  EXPECT_THAT(joint_kind_violations(TORSOR_SOURCE_DIR), IsEmpty());
}

TEST(Tree, RoomsHaveFewFiles) {
  EXPECT_THAT(crowded_rooms(TORSOR_SOURCE_DIR), IsEmpty());
}

TEST(Tree, TestsWaitForConditions) {
  EXPECT_THAT(fixed_waits(TORSOR_SOURCE_DIR), IsEmpty());
}

TEST_F(Rules, RejectFixedWaits) {
  write("tests/support/eventually.hpp", "std::this_thread::sleep_for(interval);\n");
  write("tests/a_test.cpp",
        "// sleep\nstd::this_thread::sleep_for(1s);\nusleep(3);\nrun(\"exec sleep 9\");\n");
  write("tests/a_test.sh",
        "# sleep\nwait_for() {\n  sleep 0.1\n}\nxdotool key a sleep 0.2\nwait_a() { sleep 1; "
        "}\nsleep 1\n");
  EXPECT_THAT(
      fixed_waits(root_),
      ElementsAre("tests/a_test.cpp:2: waits for a fixed time: std::this_thread::sleep_for(1s);",
                  "tests/a_test.cpp:3: waits for a fixed time: usleep(3);",
                  "tests/a_test.cpp:4: waits for a fixed time: run(\"exec sleep 9\");",
                  "tests/a_test.sh:5: waits for a fixed time: xdotool key a sleep 0.2",
                  "tests/a_test.sh:7: waits for a fixed time: sleep 1"));
}

TEST_F(Rules, AllowDownwardIncludes) {
  write("engine/spatial/pose.hpp", "#include <cmath>\n#include \"torsor/spatial/so3.hpp\"\n");
  write("engine/sdk/torsor_plugin.h", "#include <stddef.h>\n#include <stdint.h>\n");
  write("engine/sdk/torsor_plugin.hpp", "#include \"torsor/sdk/torsor_plugin.h\"\n");
  write("engine/model/model.cpp",
        "#include <Eigen/Core>\n#include \"torsor/sdk/torsor_plugin.h\"\n");
  write("engine/scripting/scene/bind.cpp",
        "#include \"bind.hpp\"\n#include \"torsor/host/registry.hpp\"\n");
  write("plugins/solvers/x/kernels/a.cpp",
        "#include \"../algorithm.hpp\"\n#include \"torsor/sdk/torsor_plugin.hpp\"\n");
  EXPECT_THAT(includes(), IsEmpty());
  EXPECT_EQ(count_includes(root_), 11u);
}

TEST_F(Rules, KeepTheEditorsWindowOutOfItsSession) {
  write("editor/session/a.cpp",
        "#include <imgui.h>\n#include \"editor/app/editor.hpp\"\n#include "
        "\"editor/session/b.hpp\"\n");
  write("editor/panels/a.cpp",
        "#include <imgui.h>\n#include <epoxy/gl.h>\n#include \"panel.hpp\"\n#include "
        "\"torsor/model/model.hpp\"\n");
  write("editor/opengl/renderer.cpp", "#include <epoxy/gl.h>\n");
  EXPECT_THAT(
      includes(),
      ElementsAre("editor/panels/a.cpp:2: includes OpenGL: epoxy/gl.h",
                  "editor/panels/a.cpp:3: write editor/FOLDER/FILE: panel.hpp",
                  "editor/session/a.cpp:1: session includes a window: imgui.h",
                  "editor/session/a.cpp:2: session includes upward: editor/app/editor.hpp"));
}

TEST_F(Rules, OrderTheRoomsOfTheEditor) {
  write("editor/main.cpp", "#include \"editor/app/window.hpp\"\n");
  write("editor/misc/a.cpp", "#include <vector>\n");
  write("editor/panels/plots/a.cpp",
        "#include \"editor/app/editor.hpp\"\n#include \"editor/misc/a.hpp\"\n");
  write("editor/plot/a.cpp",
        "#include \"editor/probe/series.hpp\"\n#include \"editor/view/view.hpp\"\n");
  write("editor/video/a.cpp",
        "#include \"editor/app/editor.hpp\"\n#include \"editor/panels/panel.hpp\"\n");
  EXPECT_THAT(includes(),
              ElementsAre("editor/misc/a.cpp:1: editor/misc is not a room of the editor",
                          "editor/panels/plots/a.cpp:2: no room of the editor: editor/misc/a.hpp",
                          "editor/plot/a.cpp:2: plot includes upward: editor/view/view.hpp"));
}

TEST_F(Rules, RejectAnUpwardInclude) {
  write("engine/model/model.cpp", "\n#include \"torsor/mechanics/state.hpp\"\n");
  write("engine/spatial/pose.hpp", "  #  include <torsor/sdk/torsor_plugin.h> // why\n");
  EXPECT_THAT(
      includes(),
      ElementsAre(
          "engine/model/model.cpp:2: model includes upward: torsor/mechanics/state.hpp",
          "engine/spatial/pose.hpp:1: spatial includes upward: torsor/sdk/torsor_plugin.h"));
}

TEST_F(Rules, OrderTheFoldersOfScriptingAndOfCli) {
  write("engine/cli/main.cpp", "#include \"torsor/cli/commands/run.hpp\"\n");
  write("engine/cli/misc/a.hpp", "#include <vector>\n");
  write("engine/cli/options/a.cpp", "#include \"torsor/cli/support/states.hpp\"\n");
  write("engine/cli/pages/a.cpp", "#include \"torsor/cli/misc/a.hpp\"\n");
  write("engine/scripting/sandbox/a.cpp",
        "#include \"torsor/scripting/scene/script.hpp\"\n#include \"../scene/script.hpp\"\n");
  write("engine/scripting/scene/a.cpp", "#include \"torsor/scripting/values/read_task.hpp\"\n");
  EXPECT_THAT(
      includes(),
      ElementsAre("engine/cli/misc/a.hpp:1: engine/cli/misc is not a room of the engine",
                  "engine/cli/options/a.cpp:1: cli/options includes upward: "
                  "torsor/cli/support/states.hpp",
                  "engine/cli/pages/a.cpp:1: no room 'cli/misc'",
                  "engine/scripting/sandbox/a.cpp:1: scripting/sandbox includes upward: "
                  "torsor/scripting/scene/script.hpp",
                  "engine/scripting/sandbox/a.cpp:2: leaves its folder: ../scene/script.hpp "
                  "(write torsor/ROOM/FILE)"));
}

TEST_F(Rules, RejectAPluginThatIncludesTheEngine) {
  write("plugins/solvers/x/plugin.cpp",
        "#include \"torsor/model/model.hpp\"\n#include <Eigen/Core>\n");
  EXPECT_THAT(
      includes(),
      ElementsAre("plugins/solvers/x/plugin.cpp:1: plugins includes upward: torsor/model/model.hpp",
                  "plugins/solvers/x/plugin.cpp:2: plugins includes more than the standard "
                  "library: Eigen/Core"));
}

TEST_F(Rules, RejectAPathOutOfTheFolder) {
  write("engine/model/model.cpp", "#include \"../spatial/pose.hpp\"\n");
  write("plugins/solvers/x/plugin.cpp", "#include \"../y/algorithm.hpp\"\n");
  EXPECT_THAT(includes(), ElementsAre("engine/model/model.cpp:1: leaves its folder: "
                                      "../spatial/pose.hpp (write torsor/ROOM/FILE)",
                                      "plugins/solvers/x/plugin.cpp:1: leaves its folder: "
                                      "../y/algorithm.hpp (write torsor/ROOM/FILE)"));
}

TEST_F(Rules, RejectOtherHeadersInThePluginAbi) {
  write("engine/sdk/torsor_plugin.h", "#include <vector>\n");
  write("engine/sdk/ext/force.h", "#include <string.h>\n#include \"torsor/sdk/torsor_plugin.h\"\n");
  write("engine/sdk/ext/solver.h", "#include \"torsor/spatial/pose.hpp\"\n");
  EXPECT_THAT(
      includes(),
      ElementsAre("engine/sdk/ext/force.h:1: the C boundary includes string.h",
                  "engine/sdk/ext/solver.h:1: the C boundary includes torsor/spatial/pose.hpp",
                  "engine/sdk/torsor_plugin.h:1: the C boundary includes vector"));
}

TEST_F(Rules, RejectAFolderThatIsNoRoom) {
  write("engine/misc/a.cpp", "#include <vector>\n");
  write("engine/model/b.cpp", "#include \"torsor/misc/a.hpp\"\n");
  EXPECT_THAT(includes(),
              ElementsAre("engine/misc/a.cpp:1: engine/misc is not a room of the engine",
                          "engine/model/b.cpp:1: no room 'misc'"));
}

TEST_F(Rules, AllowJointKindsInTheirFileAndTheTestForFixed) {
  write("engine/model/joint.cpp", "case JointKind::revolute: break;\n");
  write("engine/model/builder.cpp",
        "if (kind == JointKind::fixed) return;\nkind = JointKind::revolute;\n");
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(Rules, RejectARoomWithManyFiles) {
  const auto fill = [&](const std::string& folder, int count) {
    for (int k = 0; k < count; ++k) write(folder + "/" + std::to_string(k) + ".cpp", "\n");
  };
  fill("engine/model", 25);
  fill("editor/view", 25);
  EXPECT_THAT(crowded_rooms(root_), IsEmpty());
  fill("engine/model", 26);
  fill("editor/view", 26);
  EXPECT_THAT(crowded_rooms(root_), ElementsAre("editor/view: has 26 files, more than 25",
                                                "engine/model: has 26 files, more than 25"));
}

TEST_F(Rules, RejectOtherFilesThatDistinguishJointKinds) {
  write("engine/mechanics/a.cpp", "    case torsor::JointKind::helical:\n");
  write("engine/model/builder.cpp", "if (kind != JointKind::revolute) return;\n");
  write("plugins/solvers/x/plugin.cpp", "using enum JointKind;\n");
  EXPECT_THAT(
      kinds(),
      ElementsAre(
          "engine/mechanics/a.cpp:1: distinguishes joint kinds:     case "
          "torsor::JointKind::helical:",
          "engine/model/builder.cpp:1: distinguishes joint kinds: if (kind != JointKind::revolute) "
          "return;",
          "plugins/solvers/x/plugin.cpp:1: distinguishes joint kinds: using enum JointKind;"));
}

}  // namespace
}  // namespace torsor::test

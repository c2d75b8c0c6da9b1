// Tests of torsor run --watch: the run continues with plugins that are rebuilt while it runs, and
// ignores faulty ones.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/rod_scene.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string watched_scene = std::string(rod_in_world) + R"(
world:force("rebuilt", {})
arm:control("rebuilt", { rate = 10 })
return world:experiment{ solver = "SOLVER", integrator = { "rk4", dt = 1e-3 }, duration = 1e6,
  energy_tolerance = 1e9,  -- a new plugin continues with the energy of the previous one
  record = { "arm.q", "arm.v" }, record_interval = 1000 }
)";

class Watch : public Program {
 protected:
  // Runs a scene with --watch and, at the same time, a shell script. Returns the output of the
  // script and then all messages of the program. The script can use these commands:
  // - `put NAME` installs a build of the plugin.
  // - `wait_for_line TEXT N` waits until the program has printed TEXT in N lines (1 by default).
  // - `stop` interrupts the program.
  std::string watch(const std::string& script, const std::string& solver = "newton_euler",
                    const std::string& first = "rebuilt", const std::string& folder = "") {
    std::string text = watched_scene;
    text.replace(text.find("SOLVER"), 6, solver);
    file("s.lua", text);
    file("script.sh", R"(
plugins=')" TEST_PLUGINS R"('
folder=)" + folder + R"(
test -z "$folder" || mkdir $folder
put() { cp "$plugins/$1.so" new && mv new ./$folder/p.so; }
wait_for_line() {
  for k in $(seq 600); do test $(grep -c -- "$1" said) -ge ${2:-1} && return; sleep 0.1; done
  echo "never said: $1"; kill -KILL $program; cat said; exit 1
}
stop() { kill -INT $program; wait $program; echo "exit $?"; }
put )" + first + R"(
")" TORSOR_PROGRAM R"(" run s.lua --watch --plugins ${folder:-p.so} 2> said > summary &
program=$!
wait_for_recording() { for k in $(seq 600); do test -s recordings/s.h5 && break; sleep 0.1; done; }
wait_for_recording
)" + script + "\nstop\ncat said");
    const Output out = run("sh", {"script.sh"});
    EXPECT_EQ(out.exit_code, 0) << out.out << out.err;
    return out.out;
  }
};

TEST_F(Watch, ContinuesWithARebuiltPlugin) {
  const std::string said =
      watch("put rebuilt_gain; wait_for_line 'the run continues with the new one'");
  EXPECT_THAT(
      said,
      AllOf(ContainsRegex(
                "torsor: at t = [0-9.e+]+ s: 'p.so' changed: the run continues with the new one\n"),
            HasSubstr("interrupted at t = "), HasSubstr("exit 130"), Not(HasSubstr("warning"))));
  ASSERT_EQ(torsor({"convert", "recordings/s.h5", "copy.csv"}).exit_code, 0);
  const auto json = nlohmann::json::parse(read("copy.json"));
  ASSERT_EQ(json["rebuilt_plugins"].size(), 1u);
  EXPECT_EQ(json["rebuilt_plugins"][0]["file"], "p.so");
}

TEST_F(Watch, ContinuesWithARebuiltSolver) {
  const std::string said =
      watch("put rebuilt_gain; wait_for_line 'the run continues with the new one'", "rebuilt");
  EXPECT_THAT(said, Not(HasSubstr("old one")));
}

TEST_F(Watch, RejectsAnotherLayoutAndContinues) {
  const std::string said = watch(
      "put rebuilt_states; wait_for_line 'continuous states'; put rebuilt_memory; wait_for_line "
      "'numbers of memory'; put rebuilt_gain; wait_for_line 'with the new one'");
  EXPECT_THAT(said,
              AllOf(HasSubstr("'p.so' changed: the run continues with the old one: force "
                              "'force.rebuilt' has 2 continuous states, the previous one had 1\n"),
                    HasSubstr("the run continues with the old one: control 'rebuilt' has 3 numbers "
                              "of memory, the previous one had 1\n")));
}

// Checks incomplete and invalid plugin files. Some occur while a linker writes the file.
TEST_F(Watch, IgnoresIncompleteFiles) {
  const std::string said = watch(R"(
head -c 5000 p.so > half; cp half p.so; wait_for_line 'is cut short'
rm p.so; wait_for_line 'does not exist'
mkfifo p.so; wait_for_line 'is not a regular file'; rm p.so
size=$(stat -c %s "$plugins/rebuilt.so")
cp "$plugins/rebuilt.so" p.so; dd if=/dev/zero of=p.so bs=1 seek=4096 count=$((size - 4096 - 2500)) conv=notrunc status=none
wait_for_line 'cannot be loaded: it crashed'
echo 'no library' > p.so; wait_for_line 'no ELF header'
put rebuilt_stays; wait_for_line 'unique symbols'
put rebuilt_gain; wait_for_line 'with the new one')");
  EXPECT_THAT(
      said,
      HasSubstr(
          "'p.so' changed: the run continues with the old one: plugin file 'p.so' is cut short: "));
}

// Checks a watched folder in which object files appear and disappear while a plugin is built. The
// file of a plugin that is missing for a short time must not be replaced by another plugin with the
// same id.
TEST_F(Watch, WatchesFolders) {
  const std::string said = watch(R"(
touch f/p.o; rm f/p.so; wait_for_line 'does not exist'
rm f/p.o; put rebuilt_gain; wait_for_line 'with the new')",
                                 "rebuilt", "rebuilt", "f");
  EXPECT_THAT(
      said, HasSubstr("the run continues with the old one: plugin file 'f/p.so' does not exist\n"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 4) << said;
}

TEST_F(Watch, WarnsIfThePreviousFileStaysInMemory) {
  EXPECT_THAT(
      watch("put rebuilt; wait_for_line 'with the new one'", "newton_euler", "rebuilt_stays"),
      HasSubstr("torsor: warning: the previous version of 'p.so' stays in memory: "));
}

TEST_F(Watch, RunsAgainIfTheSceneChanges) {
  const std::string said = watch(R"(
sed -i 's/duration = 1e6/duration = 1/; s/record_interval = 1000/record_interval = 1/' s.lua
wait_for_line 'waiting for'
put rebuilt_gain; wait_for_line 'waiting for' 2
echo 'oops(' >> s.lua; wait_for_line "s.lua:1[0-9]:"; wait_for_line 'waiting for' 3
sed -i '/oops/d' s.lua; wait_for_line 'waiting for' 4)");
  EXPECT_THAT(
      said,
      AllOf(HasSubstr("torsor: running 's.lua' again\n"),
            HasSubstr("torsor: waiting for 's.lua' or a plugin to change; press Ctrl+C to end\n"),
            HasSubstr("exit 0")));
  EXPECT_THAT(read("summary"), HasSubstr("steps        1000 (1 s simulated)"));
}

}  // namespace
}  // namespace torsor::test

// Tests of loading: a registry finds plugins, they work, and they are unloaded afterwards.

#include <cmath>
#include <cstdlib>
#include <limits>

#include "host_fixture.hpp"
#include "torsor/base/processor.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/loading/plugin_image.hpp"
#include "torsor/loading/search_paths.hpp"

namespace torsor::host_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double mass = 1.7, length = 0.6, g = 9.81;

void expect_pendulum(Solver& solver) {
  State state(pendulum_model(mass, length));
  for (const double q : {0.0, 0.3, -1.2, 2.5}) {
    const double vdot = 1.5 - q;
    state.set_q(std::vector{q});
    double tau = NAN, back = NAN;
    ASSERT_TRUE(solver.inverse(state, &vdot, &tau));
    const double inertial = mass * length * length * vdot, weight = mass * g * length * std::sin(q);
    // Each of the two terms has less than ten rounding errors.
    EXPECT_NEAR(tau, inertial + weight, 1e-15 * (std::abs(inertial) + mass * g * length))
        << "q = " << q;
    ASSERT_TRUE(solver.forward(state, &tau, &back));
    EXPECT_NEAR(back, vdot, 1e-14) << "q = " << q;
  }
}

Solver load(const std::string& name) {
  return Registry({plugin(name)}).solver("pendulum", pendulum_model(mass, length));
}

bool mapped() {
  return bytes_of("/proc/self/maps").find("/memfd:pendulum.so") != std::string::npos;
}

TEST(Load, APluginInPlainCComputesAPendulum) {
  Solver solver = load("pendulum");
  EXPECT_EQ(solver.id(), "solver.pendulum");
  EXPECT_EQ(solver.capability(Quantity::inverse), Capability::offered);
  EXPECT_EQ(solver.capability(Quantity::mass_matrix), Capability::offered);
  EXPECT_EQ(solver.capability(Quantity::forward), Capability::derived);
  expect_pendulum(solver);
}

TEST(Load, APluginLinkedForFastMathLeavesTheArithmeticAlone) {
  Solver solver = load("fast_math");
  expect_pendulum(solver);
  volatile double least = std::numeric_limits<double>::min();
  EXPECT_GT(least / 2, 0.0);
}

TEST(Load, APluginOnTheCppLayerComputesAPendulum) {
  Solver solver = load("hinge");
  expect_pendulum(solver);
}

TEST(Load, APluginBuiltByClangComputesAPendulum) {
  if (std::string(CLANG_PLUGIN).empty()) GTEST_SKIP() << "clang++ is not installed";
  const Registry registry({CLANG_PLUGIN});
  ASSERT_EQ(registry.plugins().size(), 1u);
  EXPECT_THAT(registry.plugins()[0].version, HasSubstr("Clang"));
  Solver solver = registry.solver("pendulum", pendulum_model(mass, length));
  expect_pendulum(solver);
}

TEST(Load, AFileIsDescribed) {
  const Registry registry({plugin("pendulum")});
  ASSERT_EQ(registry.plugins().size(), 1u);
  const PluginInfo info = registry.find<Solver>("pendulum");
  EXPECT_EQ(registry.find<Solver>("solver.pendulum").id, info.id);
  EXPECT_EQ(info.id, "solver.pendulum");
  EXPECT_EQ(info.version, "1.0");
  EXPECT_EQ(info.summary, "closed form of one hinge");
  EXPECT_EQ(info.file, plugin("pendulum"));
  EXPECT_EQ(info.abi_major, TORSOR_ABI_MAJOR);
  EXPECT_EQ(info.abi_minor, TORSOR_ABI_MINOR);
  EXPECT_TRUE(registry.skipped().empty());
}

// Compares the SHA-256 digest (FIPS 180-2) with that of the program sha256sum.
TEST(Load, TheHashIsThatOfTheFile) {
  const std::string command = "sha256sum '" + plugin("pendulum").string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_TRUE(pipe);
  char digest[65] = {};
  ASSERT_EQ(std::fread(digest, 1, 64, pipe), 64u);
  pclose(pipe);
  EXPECT_EQ(Registry({plugin("pendulum")}).plugins().at(0).sha256, digest);
}

TEST(Load, APluginOfALaterMinorWithLargerStructsWorks) {
  Solver larger = load("larger_structs");
  expect_pendulum(larger);
  const Registry later({plugin("later_minor")});
  ASSERT_EQ(later.plugins().size(), 1u);
  EXPECT_EQ(later.plugins()[0].abi_minor, 7u);
}

TEST(Load, TheLastObjectKeepsTheFileAndThenItIsUnloaded) {
  ASSERT_FALSE(mapped());
  {
    auto registry = std::make_unique<Registry>(std::vector{plugin("pendulum")});
    EXPECT_TRUE(mapped());
    Solver first = registry->solver("pendulum", pendulum_model(mass, length));
    Solver second = registry->solver("pendulum", pendulum_model(mass, length));
    registry.reset();
    { const Solver gone = std::move(first); }
    EXPECT_TRUE(mapped());
    expect_pendulum(second);
  }
  EXPECT_FALSE(mapped()) << bytes_of("/proc/self/maps");
}

TEST(Load, ARejectedFileIsUnloadedAtOnce) {
  const Registry registry({plugin("wrong_major"), plugin("other_library"), plugin("throwing")});
  EXPECT_EQ(registry.skipped().size(), 2u);
  EXPECT_EQ(bytes_of("/proc/self/maps").find("wrong_major"), std::string::npos);
  size_t copies = 0;
  const std::string maps = bytes_of("/proc/self/maps");
  for (size_t at = maps.find(" r-x"); at != maps.npos; at = maps.find("r-x", at + 1))
    copies += maps.substr(at, maps.find('\n', at) - at).find("/memfd:") != std::string::npos;
  EXPECT_EQ(copies, 1u) << maps;
}

// Checks that a file that has been replaced is loaded while the old file is still in use.
TEST(Load, AReplacedFileIsLoadedAgain) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("solver.so", bytes_of(plugin("pendulum")));
  const Registry old({file});
  folder.write("solver.so", bytes_of(plugin("throwing")));
  const Registry fresh({file});
  Solver solver = old.solver("pendulum", pendulum_model(mass, length));
  expect_pendulum(solver);
  EXPECT_EQ(fresh.plugins().size(), 3u);
}

TEST(Load, AFolderIsReadInOrderAndInvalidFilesAreListed) {
  const TemporaryFolder folder;
  folder.write("b.so", bytes_of(plugin("pendulum")));
  folder.write("a.so", bytes_of(plugin("throwing")));
  folder.write("notes.txt", "not a plugin, and none by its name");
  fs::create_symlink("nowhere.so", folder.path() / "broken.so");
  fs::create_symlink("b.so", folder.path() / "c.so");
  fs::create_directory(folder.path() / "more");
  const Registry registry({folder.path(), folder.path() / "b.so"});

  ASSERT_EQ(registry.plugins().size(), 4u);
  EXPECT_EQ(registry.plugins()[0].id, "solver.pendulum");
  EXPECT_EQ(registry.plugins()[3].id, "solver.throws_in_prepare");
  ASSERT_EQ(registry.skipped().size(), 2u);
  EXPECT_EQ(registry.skipped()[0].file, folder.path() / "broken.so");
  EXPECT_THAT(registry.skipped()[0].reason,
              HasSubstr("link to 'nowhere.so', which does not exist"));
  EXPECT_EQ(registry.skipped()[1].file, folder.path() / "more");
  EXPECT_THAT(registry.skipped()[1].reason, HasSubstr("subfolder"));
}

TEST(Load, TheBestVariantForTheProcessorIsTaken) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("pendulum.so", bytes_of(plugin("pendulum")));
  const auto levels = processor_levels();
  const size_t highest = processor_level();
  if (highest == 0) GTEST_SKIP() << "this processor has the lowest level only";
  const auto found = [&](size_t level) {
    setenv("TORSOR_PROCESSOR", std::string(levels[level]).c_str(), 1);
    const Registry registry({folder.path()});
    EXPECT_THAT(registry.skipped(), testing::IsEmpty());
    const PluginInfo info = registry.find<Solver>("pendulum");
    EXPECT_EQ(info.path, folder.path());
    EXPECT_EQ(info.level, info.file == file ? "" : info.file.parent_path().filename());
    EXPECT_EQ(info.sha256, sha256_of(info.file));
    return info.file;
  };
  EXPECT_EQ(found(highest), file);
  std::vector<fs::path> best{file};
  for (size_t level = 1; level < levels.size(); ++level) {
    fs::create_directory(folder.path() / levels[level]);
    best.push_back(folder.write((fs::path(levels[level]) / "pendulum.so").string(),
                                bytes_of(plugin("noted"))));
    // A processor of a higher level takes the best file that exists.
    for (size_t used = 0; used <= highest; ++used)
      EXPECT_EQ(found(used), best[std::min(used, level)]);
  }
  // A file that is named is the file that is loaded.
  EXPECT_EQ(Registry({file}).find<Solver>("pendulum").file, file);
  setenv("TORSOR_PROCESSOR", "x86-64-v9", 1);
  EXPECT_THAT(error_of([&] { Registry({folder.path()}); }),
              AllOf(HasSubstr("'x86-64-v9'"), HasSubstr("x86-64-v3")));
  unsetenv("TORSOR_PROCESSOR");
}

// A processor of a lower level could not use such a plugin.
TEST(Load, AVariantWithoutAFileForEveryProcessorIsListed) {
  const auto levels = processor_levels();
  if (levels.empty()) GTEST_SKIP() << "this architecture has no levels";
  const TemporaryFolder folder;
  folder.write("notes.so", bytes_of(plugin("noted")));
  fs::create_directory(folder.path() / levels[1]);
  const std::string level(levels[1]);
  folder.write(level + "/notes.so", bytes_of(plugin("noted")));
  folder.write(level + "/readme.txt", "no plugin");
  const fs::path alone = folder.write(level + "/pendulum.so", bytes_of(plugin("throwing")));
  const Registry registry({folder.path()});
  EXPECT_EQ(registry.plugins().size(), 1u);
  ASSERT_EQ(registry.skipped().size(), 1u);
  EXPECT_EQ(registry.skipped()[0].file, alone);
  EXPECT_THAT(registry.skipped()[0].reason,
              AllOf(HasSubstr("is a variant of '" + (folder.path() / "pendulum.so").string()),
                    HasSubstr("does not exist")));
}

TEST(Load, TheFirstOfTwoPluginsWithOneIdIsTaken) {
  const Registry registry({plugin("larger_structs"), plugin("pendulum")});
  EXPECT_EQ(registry.find<Solver>("pendulum").file, plugin("larger_structs"));
  ASSERT_EQ(registry.skipped().size(), 1u);
  EXPECT_EQ(registry.skipped()[0].file, plugin("pendulum"));
  EXPECT_THAT(registry.skipped()[0].reason,
              AllOf(HasSubstr("'solver.pendulum'"),
                    HasSubstr(plugin("larger_structs").string() + " already provides")));
}

TEST(Load, AnUnknownIdNamesTheNearestTheListThePathsAndSkippedFiles) {
  const Registry registry({plugin("pendulum"), plugin("wrong_major")});
  for (const char* id : {"pendulun", "solver.pendulun"})
    EXPECT_THAT(
        error_of([&] { registry.find<Solver>(id); }),
        AllOf(HasSubstr(id), HasSubstr("did you mean 'pendulum'?"), HasSubstr("found: pendulum"),
              HasSubstr("searched: " + plugin("pendulum").string()),
              HasSubstr("skipped " + plugin("wrong_major").string() +
                        ": was built for plugin ABI 2")));
  const TemporaryFolder empty;
  EXPECT_THAT(error_of([&] { Registry({empty.path()}).find<Solver>("x"); }),
              AllOf(HasSubstr("found: none"), HasSubstr(empty.path().string()),
                    Not(HasSubstr("did you mean"))));
  EXPECT_THAT(error_of([] { Registry({}).find<Solver>("x"); }), HasSubstr("searched: nowhere"));
}

TEST(Load, WhatASceneBringsComesBesideWhatWasFoundAndTakesNoId) {
  const Registry found({plugin("throwing")});
  Registry registry(found);
  registry.add(load_plugin_file(plugin("noted")));
  EXPECT_EQ(registry.find<Solver>("pendulum").file, plugin("noted"));
  EXPECT_EQ(registry.find<Solver>("pendulum").path, "");
  EXPECT_EQ(found.plugins().size() + 1, registry.plugins().size());
  EXPECT_THAT(error_of([&] { registry.add(load_plugin_file(plugin("pendulum"))); }),
              AllOf(HasSubstr(plugin("pendulum").string() + " has a plugin 'solver.pendulum'"),
                    HasSubstr(plugin("noted").string() + " already provides")));
}

TEST(Load, TheEnvironmentComesBeforeTheUsersOwnFolderAndTheEngines) {
  const TemporaryFolder data;
  setenv("XDG_DATA_HOME", data.path().c_str(), 1);
  setenv("TORSOR_PLUGIN_PATH", "/first::second:", 1);
  EXPECT_EQ(environment_plugin_paths(), (std::vector<fs::path>{"/first", "second"}));
  EXPECT_EQ(default_plugin_paths().at(0), "/first");
  unsetenv("TORSOR_PLUGIN_PATH");
  EXPECT_TRUE(environment_plugin_paths().empty());
  const fs::path program = fs::canonical("/proc/self/exe");
  const fs::path built_in = program.parent_path().parent_path() / "lib/torsor/plugins";
  EXPECT_EQ(default_plugin_paths(), std::vector{built_in});
  const fs::path own = data.path() / "torsor/plugins";
  fs::create_directories(own);
  EXPECT_EQ(default_plugin_paths(), (std::vector{own, built_in}));
  unsetenv("XDG_DATA_HOME");
  setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(own_plugin_path(), "/somewhere/.local/share/torsor/plugins");
}

}  // namespace
}  // namespace torsor::host_test

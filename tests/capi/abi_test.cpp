// Checks the binary interface of libtorsor.so: its symbols, and the sizes and places of the members
// of its structs. Members that follow the last one of a row here are additions of a later version.

#include <gmock/gmock.h>

#include <cstddef>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "capi/c_program.h"
#include "capi/handles.hpp"
#include "support/exported_symbols.hpp"

namespace torsor::test {
namespace {

std::string text_of_file(const std::string& file) {
  std::ifstream in(file);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// Returns the functions that the header declares.
std::set<std::string> declared_functions() {
  const std::string text = text_of_file(source_file("engine/capi/torsor.h"));
  static const std::regex declaration(R"(TORSOR_API [\w* ]*?\b(torsor_\w+)\()");
  std::set<std::string> out;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), declaration);
       at != std::sregex_iterator(); ++at)
    out.insert((*at)[1]);
  return out;
}

TEST(Abi, TheLibraryExportsTheFunctionsOfTheHeaderAndNothingElse) {
  std::set<std::string> expected = {"TORSOR_1.0"};
  for (const std::string& name : declared_functions()) expected.insert(name + "@@TORSOR_1.0");
  EXPECT_GT(expected.size(), 60u);
  EXPECT_EQ(exported_symbols(TORSOR_LIBRARY), expected);
}

struct Layout {
  size_t size;
  std::vector<size_t> offsets;
};

// The layout of version 1.0 on machines with pointers of 8 bytes.
TEST(Abi, StructsKeepTheirLayout) {
  static_assert(sizeof(void*) == 8);
  const std::map<std::string, size_t> expected = {
      {"torsor_error", 2048},       {"torsor_engine_options", 40}, {"torsor_setting", 16},
      {"torsor_load_options", 80},  {"torsor_quantity_info", 24},  {"torsor_result_info", 48},
      {"torsor_states", 64},        {"torsor_motions", 120},       {"torsor_control_state", 48},
      {"torsor_control", 48},       {"torsor_force_state", 72},    {"torsor_external_force", 56},
      {"torsor_study_options", 136}};
  std::map<std::string, size_t> sizes;
  for (size_t k = 0; k < n_c_sizes; ++k) sizes[c_sizes[k].name] = c_sizes[k].size;
  EXPECT_EQ(sizes, expected);

  const std::vector<size_t> offsets = {
      offsetof(torsor_error, text),
      offsetof(torsor_engine_options, user),
      offsetof(torsor_load_options, settings),
      offsetof(torsor_load_options, integrator),
      offsetof(torsor_load_options, dt),
      offsetof(torsor_load_options, gravity),
      offsetof(torsor_quantity_info, entries),
      offsetof(torsor_result_info, dims),
      offsetof(torsor_result_info, name),
      offsetof(torsor_states, q),
      offsetof(torsor_states, x_stride),
      offsetof(torsor_motions, integrator),
      offsetof(torsor_motions, sample_every),
      offsetof(torsor_motions, tau),
      offsetof(torsor_motions, done),
      offsetof(torsor_control_state, n_v),
      offsetof(torsor_control, function),
      offsetof(torsor_control, user),
      offsetof(torsor_force_state, X_WF),
      offsetof(torsor_force_state, V_WF_W),
      offsetof(torsor_external_force, function),
      offsetof(torsor_external_force, user),
      offsetof(torsor_study_options, dt),
      offsetof(torsor_study_options, samples),
      offsetof(torsor_study_options, existing),
      offsetof(torsor_study_options, user),
  };
  EXPECT_THAT(offsets, testing::ElementsAre(8, 32, 16, 48, 56, 72, 16, 8, 40, 16, 56, 16, 48, 72,
                                            112, 40, 32, 40, 56, 64, 40, 48, 48, 64, 104, 128));
}

TEST(Abi, TheVersionIsThatOfTheHeader) {
  EXPECT_EQ(torsor_api_version(), TORSOR_API_MAJOR << 16 | TORSOR_API_MINOR);
  EXPECT_THAT(torsor_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

// The C program and this one give the same bits.
TEST(Abi, AProgramInCComputesTheSame) {
  const auto engine = made_engine();
  const auto scene = made_scene(engine.get(), "scenes/double_pendulum.lua");
  const auto simulation = made<torsor_simulation>(torsor_simulation_create, scene.get());
  ErrorText error;
  ASSERT_EQ(torsor_simulation_step(simulation.get(), 100, &error), TORSOR_SUCCESS) << error.text;
  std::vector<double> q(4), from_c(4);
  torsor_simulation_state(simulation.get(), q.data(), nullptr, &error);
  ASSERT_EQ(simulate_in_c(source_file("scenes/double_pendulum.lua").c_str(), 100, from_c.data(), 4),
            4u);
  EXPECT_EQ(q, from_c);

  std::vector<double> M(49);
  ASSERT_EQ(mass_matrix_in_c(source_file("scripts/robots/iiwa.lua").c_str(), M.data(), 49), 7u);
  EXPECT_GT(M[0], 0);
  EXPECT_EQ(M[1], M[7]);
}

// An older program passes shorter structs, and a later one longer structs.
TEST(Abi, StructsOfOtherVersionsAreAccepted) {
  const auto engine = made_engine();
  struct Later {
    torsor_load_options options;
    double added;
  } later{};
  later.options.struct_size = sizeof later;
  EXPECT_TRUE(made_robot(engine.get(), "scripts/robots/iiwa.lua", &later.options));
  later.added = 1;
  ErrorText error;
  torsor_robot* robot = nullptr;
  const std::string file = source_file("scripts/robots/iiwa.lua");
  EXPECT_EQ(torsor_robot_load(engine.get(), file.c_str(), &later.options, &robot, &error),
            TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text,
               "options: it sets members of a later version of the interface; install a later "
               "libtorsor");
  // The members beyond struct_size are not read.
  torsor_load_options shorter{};
  shorter.struct_size = offsetof(torsor_load_options, solver);
  shorter.solver = reinterpret_cast<const char*>(8);
  EXPECT_TRUE(made_robot(engine.get(), "scripts/robots/iiwa.lua", &shorter));
  shorter.struct_size = 0;
  EXPECT_EQ(torsor_robot_load(engine.get(), file.c_str(), &shorter, &robot, &error),
            TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text, "options: struct_size is 0; set it to the size of the struct");
  EXPECT_EQ(robot, nullptr);

  // Only struct_size bytes are written.
  const auto iiwa = made_robot(engine.get(), "scripts/robots/iiwa.lua");
  torsor_quantity_info info{};
  info.struct_size = offsetof(torsor_quantity_info, entries);
  info.entries = 4711;
  ASSERT_EQ(torsor_quantity_describe(iiwa.get(), "mass_matrix", &info, &error), TORSOR_SUCCESS);
  EXPECT_STREQ(info.inputs, "q");
  EXPECT_EQ(info.entries, 4711u);
}

TEST(Abi, TheTextOfAnErrorIsCutAtTheEndOfItsStruct) {
  const auto engine = made_engine();
  torsor_error error{offsetof(torsor_error, text) + 6, TORSOR_SUCCESS, "1234567"};
  torsor_robot* robot = nullptr;
  EXPECT_EQ(torsor_robot_load(engine.get(), "missing.urdf", nullptr, &robot, &error),
            TORSOR_USER_ERROR);
  EXPECT_EQ(error.result, TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text, "missi");
  EXPECT_EQ(error.text[6], '7');
  // The cut is between characters: "é" has two bytes.
  EXPECT_EQ(torsor_robot_load(engine.get(), "miss\u00e9.urdf", nullptr, &robot, &error),
            TORSOR_USER_ERROR);
  EXPECT_STREQ(error.text, "miss");
  EXPECT_EQ(torsor_robot_load(engine.get(), "missing.urdf", nullptr, &robot, nullptr),
            TORSOR_USER_ERROR);
}

TEST(Abi, TheTextOfAnErrorIsOneLine) {
  const auto engine = made_engine();
  ErrorText error;
  torsor_robot* robot = nullptr;
  EXPECT_EQ(torsor_robot_load(engine.get(), "two\nlines\t.urdf", nullptr, &robot, &error),
            TORSOR_USER_ERROR);
  EXPECT_THAT(error.text, testing::StartsWith("two lines .urdf: "));
}

}  // namespace
}  // namespace torsor::test

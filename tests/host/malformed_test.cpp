// Tests of malformed plugin files: each is rejected in one sentence with the file and the cause.

#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "host_fixture.hpp"
#include "support/as_other_user.hpp"
#include "torsor/base/sanitized.hpp"
#include "torsor/sdk/ext/solver.hpp"
#include "torsor/sdk/ext/solver_batch.hpp"
#include "torsor/sdk/ext/solver_partials.hpp"
#include "torsor/sdk/ext/solver_rates.hpp"
#include "torsor/sdk/ext/solver_trace.hpp"

namespace torsor::host_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Case {
  const char* name;
  std::string message;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}
std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

// Returns the clause about a struct of this size that is too short.
template <class Struct>
std::string size_clause(size_t size) {
  return "has " + std::to_string(size) + " bytes, " + std::to_string(sdk::minimal_size<Struct>) +
         " are needed";
}

class SkippedPlugin : public ::testing::TestWithParam<Case> {};
TEST_P(SkippedPlugin, WithItsReason) {
  const Registry registry({plugin(GetParam().name)});
  ASSERT_EQ(registry.skipped().size(), 1u);
  EXPECT_EQ(registry.skipped()[0].file, plugin(GetParam().name));
  const std::string& reason = registry.skipped()[0].reason;
  EXPECT_THAT(reason, HasSubstr(GetParam().message));
  EXPECT_EQ(reason.find('\n'), reason.npos) << reason;
}
INSTANTIATE_TEST_SUITE_P(
    , SkippedPlugin,
    ::testing::Values(
        Case{"other_library", "is not a Torsor plugin: it exports no torsor_plugin_entry"},
        Case{"unresolved", "cannot be loaded: undefined symbol: function_that_nobody_has"},
        Case{"wrong_major", "was built for plugin ABI 2, and this engine has 1."},
        Case{"eager", "was built for plugin ABI 2, and this engine has 1."},
        Case{"note_of_another",
             "its note lists 'solver.pendulum 1.0, solver.arm 2.0', its entry 'solver.pendulum "
             "1.0'"},
        Case{"note_of_another_abi", "its note says ABI 1.0, its entry 1.3"},
        Case{"null_entry", "torsor_plugin_entry() returned NULL"},
        Case{"no_descriptors", "its entry lists no plugin"},
        Case{"null_descriptors", "its entry lists no plugin"},
        Case{"null_descriptor", "descriptor is NULL"},
        Case{"short_descriptor", "a plugin's descriptor has 16 bytes, 64 are needed"},
        Case{"same_id_twice", "has two plugins 'solver.pendulum'"},
        Case{"no_id", "a plugin has no id"},
        Case{"id_without_kind",
             "the id 'pendulum' without a kind; it must be like 'solver.pendulum'"},
        Case{"id_malformed", "the malformed id 'solver.My pendulum'"},
        Case{"id_of_unknown_kind",
             "'wizard.pendulum' is of kind 'wizard', which this engine does not know"},
        Case{"no_version", "'solver.pendulum' has no version"},
        Case{"two_line_summary", "'solver.pendulum' has no summary of one line"},
        Case{"no_family", "'solver.pendulum' has no family"},
        Case{"no_create", "'solver.pendulum' has no create function"},
        Case{"no_rows", "declares 6 parameters but lists none"},
        Case{"short_rows", "has a parameter row that has 8 bytes, 72 are needed"},
        Case{"uneven_rows", "has parameter rows of different sizes"},
        Case{"row_without_name", "has a parameter without a name"},
        Case{"row_twice", "has two parameters 'gain'"},
        Case{"row_without_help", "parameter 'gain' has no unit or no help text"},
        Case{"row_of_unknown_type", "parameter 'gain' has the unknown type 10"},
        Case{"row_min_above_max", "parameter 'gain' has min 11 > max 10"},
        Case{"row_initial_outside", "parameter 'gain' has the initial value 11 outside [-10, 10]"},
        Case{"row_initial_not_whole",
             "parameter 'steps' has the initial value 1.5, which is not a whole number"},
        Case{"flag_with_range", "parameter 'exact' is a flag with the range [0, 3]"},
        Case{"flag_of_two", "parameter 'exact' is a flag or choice of 2 values"},
        Case{"choice_without_names", "parameter 'mode' is a choice without names"},
        Case{"choice_twice", "parameter 'mode' has two choices 'added'"},
        Case{"choice_with_range", "parameter 'mode' has 2 choices but the range [0, 2]"}),
    case_name);

class UselessPlugin : public ::testing::TestWithParam<Case> {};
TEST_P(UselessPlugin, SaysWhyWhenItIsAskedFor) {
  const Registry registry({plugin(GetParam().name)});
  ASSERT_EQ(registry.plugins().size(), 1u);
  EXPECT_THAT(error_of([&] { registry.solver("pendulum", pendulum_model(1, 1)); }),
              AllOf(HasSubstr("solver.pendulum"), HasSubstr(GetParam().message),
                    HasSubstr(plugin(GetParam().name).string())));
}
INSTANTIATE_TEST_SUITE_P(
    , UselessPlugin,
    ::testing::Values(
        Case{"create_fails", "could not be created: no licence"},
        Case{"short_plugin", "its torsor_plugin " + size_clause<torsor_plugin>(16)},
        Case{"no_destroy", "its destroy is NULL"},
        Case{"no_prepare", "its prepare or get_interface is NULL"},
        Case{"no_set_param", "it has parameters but its set_param is NULL"},
        Case{"no_interface", "it offers no torsor.solver/1"},
        Case{"short_table",
             "its torsor.solver/1 table " +
                 size_clause<torsor_solver>(offsetof(torsor_solver, christoffel_symbols))},
        Case{"uneven_table", "its torsor.solver/1 table has " +
                                 std::to_string(sizeof(torsor_solver) + 6) +
                                 " bytes, which is not a multiple of 8"},
        Case{"short_partials",
             "its torsor.solver.partials/1 table " + size_clause<torsor_solver_partials>(12)},
        Case{"empty_partials", "its torsor.solver.partials/1 table lacks inverse_partials"},
        Case{"short_rates",
             "its torsor.solver.rates/1 table " + size_clause<torsor_solver_rates>(12)},
        Case{"empty_rates", "its torsor.solver.rates/1 table lacks rates"},
        Case{"rates_of_no_order",
             "its torsor.solver.rates/1 table has the order 9; it must be 2 to 4"},
        Case{"short_batch",
             "its torsor.solver.batch/1 table " + size_clause<torsor_solver_batch>(16)},
        Case{"batch_of_three",
             "its torsor.solver.batch/1 table has 3 lanes; there must be 2, 4 or 8"},
        Case{"empty_batch", "its torsor.solver.batch/1 table lacks solver"},
        Case{"batch_with_empty_partials",
             "its torsor.solver.batch/1 table, partials: its torsor.solver.partials/1 table lacks "
             "inverse_partials"},
        Case{"short_trace",
             "its torsor.solver.trace/1 table " + size_clause<torsor_solver_trace>(12)},
        Case{"empty_trace", "its torsor.solver.trace/1 table lacks trace"},
        Case{"offers_nothing", "it offers neither inverse nor forward dynamics"}),
    case_name);

TEST(Malformed, AModelThatThePluginDoesNotSupportGivesItsReason) {
  const Registry registry({plugin("pendulum")});
  EXPECT_THAT(error_of([&] { registry.solver("pendulum", pendulum_model(1, 1, 2)); }),
              AllOf(HasSubstr("solver.pendulum"), HasSubstr("it is made for one body on one hinge"),
                    HasSubstr(plugin("pendulum").string())));
}

TEST(Malformed, APluginThatRequestsTooMuchMemoryIsNamed) {
  if (TORSOR_SANITIZED)
    GTEST_SKIP() << "the sanitizer ends the program when too much memory is requested";
  const Registry registry({plugin("greedy")});
  EXPECT_THAT(error_of([&] { registry.solver("pendulum", pendulum_model(1, 1)); }),
              AllOf(HasSubstr("the work area of a plugin: about"), HasSubstr("greedy.so")));
}

TEST(Malformed, ExceptionsArriveAsReasons) {
  const Registry registry({plugin("throwing")});
  const auto error = [&](const char* id) {
    return error_of([&] { registry.solver(id, pendulum_model(1, 1)); });
  };
  EXPECT_THAT(error("throws_in_prepare"),
              AllOf(HasSubstr("no such entry"), HasSubstr("throwing.so")));
  EXPECT_THAT(error("throws_in_create"),
              HasSubstr("could not be created: an exception that is not a std::exception"));
  Solver solver = registry.solver("throws_in_inverse", pendulum_model(1, 1));
  const double vdot = 0;
  double tau = 0;
  const Status status = solver.inverse(State(pendulum_model(1, 1)), &vdot, &tau);
  EXPECT_EQ(TORSOR_STATUS_CODE(status.value), TORSOR_INTERNAL);
  EXPECT_THAT(solver.explain(status), HasSubstr("thrown in a hot call"));
}

std::string reason_of(const fs::path& file) {
  const Registry registry({file});
  EXPECT_TRUE(registry.plugins().empty());
  if (registry.skipped().size() != 1) return "not skipped once";
  EXPECT_EQ(registry.skipped()[0].file, file);
  return registry.skipped()[0].reason;
}

TEST(Malformed, FilesThatAreNoSharedLibrary) {
  const TemporaryFolder folder;
  EXPECT_EQ(reason_of(folder.write("text.so", "return { this is Lua }\n")),
            "is not a shared library (no ELF header)");
  EXPECT_EQ(reason_of(folder.write("empty.so", "")), "is empty");
  EXPECT_EQ(reason_of(folder.write("short.so",
                                   "\x7f"
                                   "ELF")),
            "is cut short: it has only 4 bytes");
  std::string other_machine = bytes_of(plugin("pendulum"));
  other_machine[4] = 1;  // EI_CLASS: a file for 32 bits
  EXPECT_EQ(reason_of(folder.write("machine.so", other_machine)),
            "is a shared library for another kind of machine");
  EXPECT_THAT(reason_of("/proc/self/exe"), HasSubstr("cannot be loaded: "));
}

// Checks copies that are truncated at 40 positions. Loading must not crash. A copy is rejected as
// truncated, unless only the section headers at its end are missing, which are not loaded.
TEST(Malformed, ATruncatedFileIsRejected) {
  const TemporaryFolder folder;
  const std::string bytes = bytes_of(plugin("pendulum"));
  for (size_t length = 5; length < bytes.size(); length += bytes.size() / 40) {
    const Registry registry({folder.write("cut.so", bytes.substr(0, length))});
    if (!registry.plugins().empty()) continue;
    ASSERT_EQ(registry.skipped().size(), 1u) << length;
    EXPECT_THAT(registry.skipped()[0].reason, HasSubstr("is cut short")) << length;
  }
  constexpr size_t page = 4096;  // the first of several that are loaded
  EXPECT_THAT(reason_of(folder.write("page.so", bytes.substr(0, page))), HasSubstr("is cut short"));
}

// Checks notes with an impossible size. They are reported as malformed, and not treated as missing.
TEST(Malformed, ANoteOfAnImpossibleSizeIsReported) {
  const TemporaryFolder folder;
  const std::string bytes = bytes_of(plugin("noted"));
  const size_t note = bytes.find(std::string_view("Torsor\0", 8)) - 3 * sizeof(uint32_t);
  ASSERT_LT(note, bytes.size());
  const auto with = [&](size_t member, uint32_t value) {
    std::string changed = bytes;
    std::memcpy(changed.data() + note + member * sizeof value, &value, sizeof value);
    return folder.write("note.so", changed);
  };
  for (const size_t size_of_name_or_list : {0, 1})
    for (const uint32_t impossible : {0x1000u, 0x7fffffffu, 0xfffffff0u, 0xffffffffu})
      EXPECT_THAT(reason_of(with(size_of_name_or_list, impossible)),
                  HasSubstr("has a malformed note, "))
          << size_of_name_or_list << ": " << impossible;
  EXPECT_EQ(reason_of(with(1, 4)), "has a malformed note 'Torsor': build it again");
}

TEST(Malformed, APipeIsNotWaitedFor) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "pipe.so").c_str(), 0600), 0);
  EXPECT_EQ(reason_of(folder.path() / "pipe.so"), "is not a regular file");
}

TEST(Malformed, APathThatDoesNotExistIsAnErrorThatNamesAllPaths) {
  const TemporaryFolder folder;
  for (const char* name : {"nowhere", "nothing.so"})
    EXPECT_THAT(error_of([&] {
                  Registry({plugin("pendulum"), folder.path() / name});
                }),
                AllOf(HasSubstr("'" + (folder.path() / name).string() + "' does not exist"),
                      HasSubstr(plugin("pendulum").string() + ", ")));
  fs::create_symlink("target", folder.path() / "link.so");
  EXPECT_THAT(error_of([&] { Registry({folder.path() / "link.so"}); }),
              HasSubstr("link.so' is a link to 'target', which does not exist"));
}

TEST(Malformed, UnreadableFilesAreReported) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("secret.so", bytes_of(plugin("pendulum")));
  fs::permissions(file, fs::perms::none);
  fs::create_directory(folder.path() / "locked");
  fs::permissions(folder.path() / "locked", fs::perms::none);
  fs::permissions(folder.path(), fs::perms(0755));
  {
    const test::AsOtherUser user;
    EXPECT_EQ(reason_of(file), "cannot be read: Permission denied");
    EXPECT_THAT(error_of([&] { Registry({folder.path() / "locked"}); }),
                HasSubstr("locked' cannot be read: Permission denied"));
  }
  fs::permissions(folder.path() / "locked", fs::perms::owner_all);
}

}  // namespace
}  // namespace torsor::host_test

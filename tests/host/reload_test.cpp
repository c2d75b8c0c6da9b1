// Tests of files that change while they are in use. A change is reported when the file has settled.
// Only this file is loaded again, and the old one is unloaded with its last user.

#include <chrono>

#include "host_fixture.hpp"
#include "support/eventually.hpp"
#include "torsor/host/file_watch.hpp"
#include "torsor/host/outgoing_files.hpp"

namespace torsor::host_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Files = std::vector<fs::path>;

// Returns all files that a watch reports until it has checked the disk at least twice more. To
// measure this time, a second watch of another file is called after each call of the first one. The
// second watch must report two successive changes of its file.
Files seen(FileWatch& watch) {
  const TemporaryFolder folder;
  Files out;
  for (const char* text : {"1", "two"}) {
    FileWatch second;
    second.watch({folder.write("changing", "")}, FileWatch::Time::clock::now());
    folder.write("changing", text);
    EXPECT_TRUE(test::eventually([&] {
      const Files now = watch.changed();
      out.insert(out.end(), now.begin(), now.end());
      return !second.changed().empty();
    }));
  }
  return out;
}

TEST(FileWatch, ReportsEachChangeOnce) {
  const TemporaryFolder folder;
  const fs::path a = folder.write("a", "1"), b = folder.write("b", "1"),
                 none = folder.path() / "none";
  FileWatch watch;
  EXPECT_TRUE(watch.watch({a, b, none}, FileWatch::Time::clock::now()));
  EXPECT_THAT(seen(watch), IsEmpty());
  folder.write("b", "two");
  EXPECT_THAT(seen(watch), ElementsAre(b));
  EXPECT_THAT(seen(watch), IsEmpty());
  folder.write("none", "it is");
  fs::remove(a);
  EXPECT_THAT(seen(watch), UnorderedElementsAre(a, none));
}

// Checks a copy with the same size and modification time.
TEST(FileWatch, DetectsAChangeWithTheSameSizeAndTime) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("a", "1");
  FileWatch watch;
  watch.watch({file}, FileWatch::Time::clock::now());
  const auto time = fs::last_write_time(file);
  folder.write("a", "2");
  fs::last_write_time(file, time);
  EXPECT_THAT(seen(watch), ElementsAre(file));
}

// Checks a file whose time is in the future, for example from an archive or another machine.
TEST(FileWatch, AFileFromTheFutureChangesOnce) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("a", "1");
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::hours(24));
  // The clock of the file system advances in steps, so the first calls may report a change.
  FileWatch watch;
  EXPECT_TRUE(test::eventually([&] { return watch.watch({file}, FileWatch::Time::clock::now()); }));
  EXPECT_THAT(seen(watch), IsEmpty());
}

TEST(FileWatch, ReportsAChangeSinceTheFileWasRead) {
  const TemporaryFolder folder;
  const auto before = FileWatch::Time::clock::now() - std::chrono::hours(1);
  const fs::path file = folder.write("a", "1");
  FileWatch watch;
  EXPECT_FALSE(watch.watch({file}, before));
  EXPECT_THAT(seen(watch), ElementsAre(file));
}

// Fixture with a folder of test plugins under other names.
class Reload : public testing::Test {
 protected:
  fs::path put(const std::string& name, const std::string& from) const {
    const fs::path file = folder_.path() / (name + ".so");
    fs::copy_file(plugin(from), file, fs::copy_options::overwrite_existing);
    return file;
  }
  static double tau(const Registry& registry) {
    const auto model = pendulum_model(1, 1);
    Solver solver = registry.solver("rebuilt", model);
    const State state(model);
    const double vdot = 1;
    double out = 0;
    EXPECT_TRUE(solver.inverse(state, &vdot, &out));
    return out;
  }
  const TemporaryFolder folder_;
};

TEST_F(Reload, LoadsChangedFilesAndSharesTheOthers) {
  const fs::path changing = put("changing", "rebuilt"), still = put("still", "pendulum");
  const Registry before({folder_.path()});
  EXPECT_THAT(before.files(), UnorderedElementsAre(changing, still, folder_.path()));
  const double once = tau(before);
  put("changing", "rebuilt_gain");
  const Registry after = before.again({changing});
  EXPECT_EQ(tau(after), 2 * once);
  EXPECT_EQ(tau(before), once);
  const auto old = before.sources(), now = after.sources();
  ASSERT_EQ(old.size(), 2u);
  for (size_t k = 0; k < 2; ++k) EXPECT_EQ(old[k] == now[k], old[k]->path == still) << old[k]->path;
}

TEST_F(Reload, SkipsFilesThatHaveBecomeInvalid) {
  const fs::path file = put("changing", "rebuilt");
  const Registry before({folder_.path()});
  fs::resize_file(file, 5000);
  const Registry broken = before.again({file});
  ASSERT_EQ(broken.skipped().size(), 1u);
  EXPECT_THAT(broken.skipped()[0].reason, HasSubstr("is cut short"));
  EXPECT_THAT(broken.files(), UnorderedElementsAre(file, folder_.path()));
  EXPECT_THAT(error_of([&] { broken.require_files_of(before); }),
              HasSubstr("changing.so' is cut short"));
  fs::remove(file);
  EXPECT_THAT(error_of([&] { broken.again({file}).require_files_of(before); }),
              HasSubstr("changing.so' does not exist"));
  put("changing", "rebuilt_gain");
  EXPECT_EQ(broken.again({file}).plugins().size(), 5u);
}

TEST_F(Reload, ReportsFilesThatStayInMemory) {
  for (const auto& [name, stays] : {std::pair("rebuilt", false), {"rebuilt_stays", true}}) {
    SCOPED_TRACE(name);
    const fs::path file = put("changing", name);
    std::optional<Registry> before(Registry({file}));
    std::optional<Solver> user = before->solver("rebuilt", pendulum_model(1, 1));
    const Registry after = before->again({file});
    OutgoingFiles outgoing;
    outgoing.add(*before, after);
    before.reset();
    EXPECT_THAT(outgoing.warnings(), IsEmpty());  // `user` still uses the old file
    user.reset();
    const std::vector<std::string> warnings = outgoing.warnings();
    EXPECT_EQ(warnings.size(), stays ? 1u : 0u);
    for (const std::string& warning : warnings)
      EXPECT_THAT(warning,
                  HasSubstr("the previous version of '" + file.string() + "' stays in memory"));
    EXPECT_THAT(outgoing.warnings(), IsEmpty());
  }
}

}  // namespace
}  // namespace torsor::host_test

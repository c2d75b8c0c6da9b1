// Tests of the list of files and folders that the user trusts, and of the decisions that follow
// from it.

#include "torsor/host/trust.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <thread>

#include "host/host_fixture.hpp"
#include "torsor/loading/plugin_file.hpp"

namespace torsor::host_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class TrustOf : public testing::Test {
 protected:
  AccessRequest request(const fs::path& file) const {
    return access_request(AccessRequest::Kind::plugin, file, "s.lua:1");
  }
  fs::path list() const { return folder_.path() / "config/torsor/trust.json"; }
  Trust make() {
    return Trust(list(), [this](const std::string& why) { warnings_.push_back(why); });
  }

  TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(TrustOf, ARequestResolvesLinks) {
  const fs::path file = folder_.write("x.so", "bytes");
  fs::create_symlink("x.so", folder_.path() / "link.so");
  const AccessRequest by_link = request(folder_.path() / "none/../link.so");
  EXPECT_EQ(by_link.file, fs::canonical(file));
  EXPECT_EQ(by_link.sha256, sha256_of(file));
  for (const fs::path& none : {folder_.path() / "none.so", folder_.path(), fs::path("/dev/null"),
                               fs::path(std::string(10000, 'x')), fs::path("")})
    EXPECT_EQ(request(none).sha256, "") << none.string().substr(0, 100);
  const fs::path large = folder_.write("large", "");
  fs::resize_file(large, (256u << 20) + 1);  // a sparse file
  EXPECT_EQ(request(large).sha256, "");
}

TEST_F(TrustOf, PathsAreFollowedToTheirEnds) {
  const fs::path root = fs::canonical(folder_.path());
  fs::create_directories(root / "a/b");
  fs::create_symlink("/nowhere/x", root / "dangling");
  fs::create_symlink("dangling", root / "to_dangling");
  fs::create_symlink("../a", root / "a/up");
  fs::create_symlink("round", root / "circle");
  fs::create_symlink("circle", root / "round");
  EXPECT_EQ(resolved(root / "dangling"), "/nowhere/x");
  EXPECT_EQ(resolved(root / "to_dangling/y/../z"), "/nowhere/x/z");
  EXPECT_EQ(resolved(root / "a/up/up/./b/"), root / "a/b");
  EXPECT_EQ(resolved(root / "a/up/../a/b/../../.."), root.parent_path());
  EXPECT_EQ(resolved(root / "circle"), "");
  EXPECT_EQ(resolved("/../.."), "/");
  EXPECT_EQ(resolved("."), fs::current_path());
  EXPECT_EQ(resolved(""), "");
}

TEST_F(TrustOf, FoldersAreComparedByTheirNames) {
  const fs::path root = fs::canonical(folder_.path());
  for (const char* name : {"a/b/c", "a/bc"}) fs::create_directories(root / name);
  fs::create_symlink(root / "a/b", root / "link");
  for (const fs::path& folder :
       {root / "a/b", root / "a/b/", root / "a/./b", root / "a/bc/../b", root / "link"}) {
    EXPECT_TRUE(is_below(root / "a/b", folder)) << folder;
    EXPECT_TRUE(is_below(root / "a/b/c/none", folder)) << folder;
    for (const char* other : {"a", "a/bc", "a/B", "a/b.so", ""})
      EXPECT_FALSE(is_below(root / other, folder)) << other;
  }
  EXPECT_TRUE(is_below(root, "/"));
  EXPECT_FALSE(is_below(root, ""));
  EXPECT_FALSE(is_below("", root));
}

TEST_F(TrustOf, AFileIsIdentifiedByItsBytes) {
  const fs::path file = folder_.write("x.so", "bytes");
  Trust once = make(), other = make();
  EXPECT_FALSE(once.allows(request(file)));
  once.allow_once(request(file));
  EXPECT_TRUE(once.allows(request(file)));
  EXPECT_FALSE(other.allows(request(file)));
  once.allow_always(request(file));
  EXPECT_TRUE(other.allows(request(file)));  // `other` reads the list again
  EXPECT_TRUE(other.allows(request(folder_.write("y.so", "bytes"))));
  folder_.write("x.so", "Bytes");
  EXPECT_FALSE(once.allows(request(file)));
  EXPECT_THAT(error_of([&] { once.allow_once(request("/dev/null")); }),
              HasSubstr("cannot be read"));
  EXPECT_FALSE(once.allows(request("/dev/null")));
}

TEST_F(TrustOf, TheListIsPrivateAndReplacedAtomically) {
  const fs::path file = folder_.write("x.so", "bytes");
  fs::create_directories(list().parent_path());
  std::ofstream(list().string() + ".part") << "left of a process that was killed";
  const mode_t mask = umask(0);
  Trust trust = make();
  trust.allow_always(request(file));
  umask(mask);
  struct stat before {
  }, after{};
  ASSERT_EQ(stat(list().c_str(), &before), 0);
  EXPECT_EQ(before.st_mode & 0777, 0600u);
  trust.allow_folder(folder_.path());
  ASSERT_EQ(stat(list().c_str(), &after), 0);
  EXPECT_NE(before.st_ino, after.st_ino);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(list().parent_path()))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, ElementsAre("trust.json"));
  // The same file and the same folder are listed only once.
  trust.allow_always(request(file));
  trust.allow_folder(folder_.path());
  EXPECT_EQ(read_trust(list()).files.size(), 1u);
  EXPECT_THAT(read_trust(list()).folders, ElementsAre(fs::canonical(folder_.path())));
}

TEST_F(TrustOf, ChangesOfManyProcessesAreKept) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([this, k] {
      for (int j = 0; j < 5; ++j)
        change_trust(list(), [&](TrustList& l) {
          l.folders.push_back("/folder/" + std::to_string(5 * k + j));
        });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read_trust(list()).folders.size(), 40u);
}

TEST_F(TrustOf, ADamagedListIsReportedOnceAndKept) {
  fs::create_directories(list().parent_path());
  std::ofstream(list()) << "{ \"folders\": [\"/\"]";
  Trust trust = make();
  const fs::path file = folder_.write("x.so", "bytes");
  EXPECT_FALSE(trust.allows(request(file)));
  EXPECT_FALSE(trust.allows(request(file)));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(
      warnings_[0],
      StartsWith(list().string() +
                 ":1:19: not JSON: the text ends too early; close all brackets and quotes; nothing "
                 "in it is trusted: correct it, or delete it and trust your files again with "
                 "'torsor trust PATH'"));
  EXPECT_THAT(error_of([&] { trust.allow_always(request(file)); }), HasSubstr("not JSON"));
  EXPECT_TRUE(trust.allows(request(file)));  // only in this process
  EXPECT_EQ(bytes_of(list()), "{ \"folders\": [\"/\"]");
}

TEST_F(TrustOf, TheListIsInTheFolderOfSettings) {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text ? text : "");
  };
  const std::string home = value("HOME"), config = value("XDG_CONFIG_HOME");
  setenv("HOME", "/somewhere", 1);
  setenv("XDG_CONFIG_HOME", "/config", 1);
  EXPECT_EQ(trust_file(), "/config/torsor/trust.json");
  setenv("XDG_CONFIG_HOME", "relative", 1);
  EXPECT_EQ(trust_file(), "/somewhere/.config/torsor/trust.json");
  unsetenv("HOME");
  EXPECT_EQ(trust_file(), "");
  home.empty() ? unsetenv("HOME") : setenv("HOME", home.c_str(), 1);
  config.empty() ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", config.c_str(), 1);
  Trust trust("", [](const std::string&) {});
  EXPECT_FALSE(trust.allows(request(folder_.write("x.so", "bytes"))));
}

// Checks that the bytes of a file are verified before its code runs.
TEST_F(TrustOf, LoadingStopsAtOtherBytes) {
  const fs::path file = folder_.path() / "p.so", mark = folder_.path() / "mark";
  fs::copy_file(plugin("marking"), file);
  setenv("TORSOR_TEST_MARK", mark.c_str(), 1);
  const Registry registry({});
  const std::string other = sha256_of(plugin("hinge"));
  EXPECT_THAT(error_of([&] { registry.load(file, {}, other); }),
              HasSubstr("has changed since it was allowed to load"));
  EXPECT_FALSE(fs::exists(mark));
  EXPECT_NO_THROW(registry.load(file, {}, sha256_of(file)));
  EXPECT_TRUE(fs::exists(mark));
  unsetenv("TORSOR_TEST_MARK");
}

}  // namespace
}  // namespace torsor::host_test

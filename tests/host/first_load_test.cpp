// Tests of the first load of a file. It happens in a child process, which a bad file may end or
// hang. Known files are not tried again.

#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "host_fixture.hpp"
#include "torsor/base/random.hpp"
#include "torsor/loading/child.hpp"
#include "torsor/loading/known_files.hpp"
#include "torsor/loading/plugin_file.hpp"

namespace torsor::host_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Fixture with its own cache folder and an invalid folder for temporary files.
class FirstLoad : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"XDG_CACHE_HOME", "TMPDIR"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
    }
    setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
    setenv("TMPDIR", "/nowhere", 1);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  fs::path list() const { return cache_.path() / "torsor/loaded_plugins"; }
  static std::string reason(const std::string& name) {
    const Registry registry({plugin(name)});
    return registry.skipped().empty() ? "" : registry.skipped()[0].reason;
  }
  std::vector<std::string> files_in_cache() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(cache_.path() / "torsor"))
      out.push_back(entry.path().filename());
    return out;
  }

  const TemporaryFolder cache_, folder_;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(FirstLoad, NamesFilesThatEndTheirProcess) {
  EXPECT_THAT(reason("loads_crashing"),
              HasSubstr("cannot be loaded: it crashed (segmentation fault) while it was loaded"));
  EXPECT_THAT(reason("loads_exiting"),
              HasSubstr("cannot be loaded: it called exit while it was loaded"));
  EXPECT_THAT(reason("unloads_crashing"),
              HasSubstr("it crashed (segmentation fault) while it was unloaded"));
  EXPECT_THAT(reason("aborting"), HasSubstr("it crashed (aborted) while it was loaded"));
}

TEST_F(FirstLoad, NamesAFileThatHangs) {
  EXPECT_EQ(reason("loads_hanging"),
            "cannot be loaded: it did not end within 5 s while it was loaded");
}

TEST_F(FirstLoad, NamesAFileThatChangesTheProcess) {
  EXPECT_THAT(reason("loads_handler"), HasSubstr("it changed the handler of the signal SIGINT"));
  EXPECT_THAT(reason("loads_locale"), HasSubstr("it changed the locale of the process"));
  EXPECT_THAT(reason("loads_umask"), HasSubstr("it changed the umask of the process"));
}

TEST_F(FirstLoad, PrintsWhatAFilePrintsOnce) {
  testing::internal::CaptureStdout();
  { const Registry registry({plugin("loads_printing")}); }
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "hello from the constructor\n");
}

// Checks that bad files do not affect the other files of a folder, nor their order.
TEST_F(FirstLoad, LoadsTheOthersNextToFilesThatCrash) {
  folder_.write("a.so", bytes_of(plugin("loads_crashing")));
  folder_.write("b.so", bytes_of(plugin("pendulum")));
  folder_.write("c.so", bytes_of(plugin("aborting")));
  folder_.write("d.so", bytes_of(plugin("throwing")));
  const Registry registry({folder_.path()});
  EXPECT_EQ(registry.plugins().size(), 4u);
  ASSERT_EQ(registry.skipped().size(), 2u);
  EXPECT_EQ(registry.skipped()[0].file.filename(), "a.so");
  EXPECT_EQ(registry.skipped()[1].file.filename(), "c.so");
}

// Makes damaged variants of a plugin file. The damage is in the parts that the loader reads: the
// headers, the dynamic section, and the tables before the code. Some variants are truncated.
class Damage {
 public:
  explicit Damage(std::string bytes) : bytes_(std::move(bytes)), random_(7) {
    segments_ = number<uint64_t>(32);
    count_ = number<uint16_t>(56);
    for (size_t k = 0; k < count_; ++k) {
      const size_t at = segments_ + 56 * k;
      const auto type = number<uint32_t>(at), flags = number<uint32_t>(at + 4);
      if (type == 2) dynamic_ = {number<uint64_t>(at + 8), number<uint64_t>(at + 32)};
      if (type == 1 && (flags & 1) != 0) code_ = number<uint64_t>(at + 8);
    }
  }
  std::string variant(int number) {
    std::string out = bytes_;
    const size_t tables = segments_ + 56 * count_;
    if (number % 5 == 0) out.resize(below(out.size()));
    if (number % 5 == 1) flip(out, 0, 64);
    if (number % 5 == 2) flip(out, segments_, 56 * count_);
    if (number % 5 == 3) flip(out, dynamic_.first, dynamic_.second);
    if (number % 5 == 4)
      for (size_t k = 0; k < 1 + below(8); ++k)
        out[tables + below(code_ - tables)] = char(below(256));
    return out;
  }

 private:
  template <class T>
  T number(size_t at) const {
    T out;
    std::memcpy(&out, bytes_.data() + at, sizeof out);
    return out;
  }
  size_t below(size_t n) { return size_t(random_.below(int(n))); }
  void flip(std::string& out, size_t from, size_t size) {
    for (size_t k = 0; k < 1 + below(4); ++k) out[from + below(size)] ^= char(1 << below(8));
  }

  std::string bytes_;
  Random random_;
  size_t segments_, count_, code_ = 0;
  std::pair<size_t, size_t> dynamic_;
};

TEST_F(FirstLoad, NamesEachOfManyDamagedFiles) {
  constexpr int count = 350;
  Damage damage(bytes_of(plugin("pendulum")));
  std::vector<fs::path> files;
  for (int k = 0; k < count; ++k)
    files.push_back(folder_.write(std::to_string(100 + k) + ".so", damage.variant(k)));
  const Registry registry({folder_.path()});
  EXPECT_EQ(registry.sources().size() + registry.skipped().size(), size_t(count));
  size_t ended = 0;
  for (const SkippedFile& file : registry.skipped()) {
    EXPECT_FALSE(file.reason.empty()) << file.file;
    ended += file.reason.find("it crashed") != file.reason.npos ||
             file.reason.find("the loader ends the process") != file.reason.npos;
  }
  EXPECT_GT(ended, size_t(count / 10)) << "the damage has become harmless: this test shows nothing";
}

TEST_F(FirstLoad, RemembersLoadedFiles) {
  const std::string hash = sha256_of(plugin("pendulum"));
  EXPECT_THAT(read_known_files(), IsEmpty());
  { const Registry registry({plugin("pendulum"), plugin("aborting")}); }
  EXPECT_THAT(read_known_files(), testing::ElementsAre(hash));
  EXPECT_THAT(files_in_cache(), testing::ElementsAre("loaded_plugins"));

  // Checks that a known file is loaded without a trial, even if it crashes. This file crashes when
  // its process ends, so a child process loads it.
  Stage stage;
  const ChildEnd end = run_in_child(
      [] {
        update_known_files({sha256_of(plugin("unloads_crashing"))}, {});
        static const Registry registry({plugin("unloads_crashing")});
        const Registry tried({plugin("unloads_crashing")}, {}, FirstLoads::Tried::always);
        return fmt::format("{} of the known, {} of the tried", registry.skipped().size(),
                           tried.skipped().size());
      },
      10, stage);
  EXPECT_EQ(end.text, "0 of the known, 1 of the tried");
  EXPECT_THAT(read_known_files(), testing::ElementsAre(hash)) << "it is forgotten";
}

TEST_F(FirstLoad, IgnoresADamagedListAndBoundsIt) {
  { const Registry registry({plugin("pendulum")}); }
  const std::string sound = bytes_of(list());
  for (const std::string& damaged : {std::string(3'000'000, 'x'), sound.substr(0, 30),
                                     std::string("\n\n"), sound + std::string(81, '\0')}) {
    std::ofstream(list(), std::ios::binary) << damaged;
    { const Registry registry({plugin("pendulum")}); }
    EXPECT_EQ(read_known_files().size(), 1u);
    EXPECT_EQ(bytes_of(list()), damaged.starts_with(sound) ? damaged : sound);
  }
  std::set<std::string> many;
  for (int k = 0; k < 3000; ++k) many.insert(std::string(60, 'a') + std::to_string(1000 + k));
  update_known_files(many, {});
  EXPECT_EQ(read_known_files().size(), 2000u);
}

TEST_F(FirstLoad, NeedsNoWritableFolder) {
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  EXPECT_EQ(reason("pendulum"), "");
  fs::create_directories(list());
  setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
  EXPECT_EQ(reason("pendulum"), "");
}

// Checks that two loads of the same file are separate copies. Debuggers get the path of a file with
// the same bytes.
TEST_F(FirstLoad, KeepsTwoLoadsOfTheSameBytesApart) {
  const PluginFile one(plugin("pendulum")), two(plugin("pendulum"));
  EXPECT_NE(&one.entry(), &two.entry());
  Dl_info first{}, second{};
  ASSERT_NE(dladdr(&one.entry(), &first), 0);
  ASSERT_NE(dladdr(&two.entry(), &second), 0);
  EXPECT_STRNE(first.dli_fname, second.dli_fname);
  EXPECT_EQ(bytes_of(first.dli_fname), bytes_of(plugin("pendulum")));
}

// Forbids executable memory files in this process, as the system does if vm.memfd_noexec is 2.
void forbid_code_in_memory() {
  constexpr uint32_t exec = 0x10;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, exec, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

TEST_F(FirstLoad, LoadsFromTheCacheFolderIfMemoryFilesAreForbidden) {
  Stage stage;
  const auto load = [&](const std::string& cache) {
    return run_in_child(
               [&] {
                 forbid_code_in_memory();
                 setenv("XDG_CACHE_HOME", cache.c_str(), 1);
                 const Registry registry({folder_.path()});
                 if (!registry.skipped().empty()) return registry.skipped()[0].reason;
                 Dl_info info{};
                 dladdr(registry.sources().at(0)->entry, &info);
                 return std::string(info.dli_fname);
               },
               20, stage)
        .text;
  };
  folder_.write("p.so", bytes_of(plugin("pendulum")));
  const std::string left = (cache_.path() / "torsor/loading_ofAnother").string();
  fs::create_directories(cache_.path() / "torsor");
  std::ofstream(left) << "left by a process that was killed";
  EXPECT_THAT(load(cache_.path()), StartsWith((cache_.path() / "torsor/loading_").string()));
  EXPECT_THAT(files_in_cache(), testing::ElementsAre("loaded_plugins"));
  fs::remove_all(cache_.path() / "torsor");
  EXPECT_THAT(load("/proc/nowhere"), StartsWith((folder_.path() / ".torsor_loading_").string()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace torsor::host_test

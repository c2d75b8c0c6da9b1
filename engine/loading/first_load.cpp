#include "torsor/loading/first_load.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/base/sanitized.hpp"
#include "torsor/base/text.hpp"
#include "torsor/loading/child.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/loading/known_files.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/loading/shared_text.hpp"

namespace torsor {

namespace {

using Images = std::span<const std::shared_ptr<PluginImage>>;

constexpr double seconds = 5;  // time limit of a child, s

// Limits the address space of this process to its present size plus 4 GiB. Does nothing in builds
// with sanitizers, which reserve terabytes of address space.
void limit_memory() {
  unsigned long long pages = 0;
  if (TORSOR_SANITIZED || !(std::ifstream("/proc/self/statm") >> pages)) return;
  constexpr rlim_t more = rlim_t(4) << 30;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + more);
  setrlimit(RLIMIT_AS, &limit);
}

mode_t current_umask() {
  const mode_t out = umask(0);
  umask(out);
  return out;
}

// Reads the descriptors in the same way as a registry. This detects damaged relocations.
void read_descriptors(const torsor_entry& entry) {
  for (uint32_t k = 0; k < entry.n_descriptor; ++k) (void)descriptor_defect(entry.descriptor[k]);
}

// Loads and unloads a file. Runs in the child process. Returns why the file cannot be loaded, or
// "".
std::string load_and_unload(const std::shared_ptr<PluginImage>& image, Stage& stage) {
  try {
    const mode_t before = current_umask();
    stage.set("while it was loaded");
    const PluginFile file(image);
    if (current_umask() != before)
      return "cannot be used: as it was loaded, it changed the umask of the process";
    stage.set("while its descriptors were read");
    read_descriptors(file.entry());
    stage.set("while it was unloaded");
  } catch (const Error& error) {
    return one_line(error.what());
  }
  return "";
}

std::string reason_of(const ChildEnd& end) {
  constexpr std::string_view assertion = "Inconsistency detected by ld.so: ";
  if (const size_t at = end.text.find(assertion); at != end.text.npos) {
    std::string text = end.text.substr(at + assertion.size());
    if (text.ends_with(")")) text.pop_back();
    return fmt::format("is damaged: the loader ends the process that loads it ({})", text);
  }
  return fmt::format("cannot be loaded: {}", one_line(end.text));
}

// Tries to load the files in a child process and appends one outcome per file, in order. If the
// child ended early, the outcomes of the remaining files are missing.
void try_in_child(Images images, std::vector<std::string>& outcomes, bool& was_interrupted) {
  const SharedText text;
  Stage stage;
  const auto load_all = [&] {
    limit_memory();
    for (const auto& image : images) text.write(load_and_unload(image, stage) + "\n");
    return std::string("loaded");
  };
  const ChildEnd end = run_in_child(load_all, seconds, stage, ChildFolder::shared);
  const std::string lines = text.read();
  size_t count = 0;
  for (size_t at = 0, stop; (stop = lines.find('\n', at)) != lines.npos; at = stop + 1, ++count)
    outcomes.push_back(lines.substr(at, stop - at));
  was_interrupted = end.how == ChildEnd::How::interrupted;
  if (count == 0 || was_interrupted) outcomes.push_back(reason_of(end));
}

}  // namespace

std::vector<std::string> FirstLoads::check(Images images, Tried tried) {
  const std::lock_guard lock(mutex_);
  bool has_read = false;
  std::set<std::string> known, loaded, refused;
  const auto is_known = [&](const std::string& hash) {
    if (outcomes_.contains(hash)) return true;
    if (!has_read) known = read_known_files();
    has_read = true;
    return known.contains(hash) && outcomes_.emplace(hash, "").second;
  };
  std::vector<std::shared_ptr<PluginImage>> unknown;
  for (const auto& image : images)
    if (tried == Tried::always || !is_known(image->sha256())) unknown.push_back(image);
  std::vector<std::string> outcomes;
  bool was_interrupted = false;
  while (outcomes.size() < unknown.size() && !was_interrupted)
    try_in_child(Images(unknown).subspan(outcomes.size()), outcomes, was_interrupted);
  for (size_t k = 0; k < outcomes.size(); ++k) {
    outcomes_[unknown[k]->sha256()] = outcomes[k];
    (outcomes[k].empty() ? loaded : refused).insert(unknown[k]->sha256());
  }
  const bool was_known = tried == Tried::always && !refused.empty();
  if (!loaded.empty() || was_known) update_known_files(loaded, refused);
  std::vector<std::string> out;
  for (const auto& image : images) {
    const auto found = outcomes_.find(image->sha256());
    out.push_back(found == outcomes_.end() ? "was not tried: the program was told to end"
                                           : found->second);
  }
  if (was_interrupted && !outcomes.empty()) outcomes_.erase(unknown[outcomes.size() - 1]->sha256());
  return out;
}

}  // namespace torsor

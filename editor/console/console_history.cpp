#include "editor/console/console_history.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"

namespace torsor::editor {

namespace {

constexpr size_t most_chunks = 1000;

std::string line_of(const std::string& chunk) {
  return nlohmann::json(chunk).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace

ConsoleHistory::ConsoleHistory(std::filesystem::path file) : file_(std::move(file)) {
  if (!why_unreadable(file_, InputKind::settings).empty()) return;
  InputLines in(file_, InputKind::settings, "delete the file; the window makes a new one");
  size_t lines = 0;
  for (std::string line; in.next(line); ++lines)
    if (const auto json = nlohmann::json::parse(line, nullptr, false); json.is_string())
      chunks_.push_back(json.get<std::string>());
  if (chunks_.size() > most_chunks)
    chunks_.erase(chunks_.begin(), chunks_.end() - std::ptrdiff_t(most_chunks));
  if (lines < 2 * most_chunks) return;
  std::string kept;
  for (const std::string& chunk : chunks_) kept += line_of(chunk);
  try {
    write_file(file_, kept);
  } catch (const Error&) {  // the longer file remains, and the next start shortens it
  }
}

void ConsoleHistory::add(const std::string& chunk) {
  if (!chunks_.empty() && chunks_.back() == chunk) return;
  chunks_.push_back(chunk);
  if (file_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(file_.parent_path(), ignored);
  std::ofstream out(file_, std::ios::app);
  if (!(out << line_of(chunk) << std::flush)) {
    const std::filesystem::path file = std::exchange(file_, "");
    throw Error(fmt::format("'{}' cannot be written: the history of the console is not kept",
                            file.string()));
  }
}

size_t ConsoleHistory::before(size_t at, const std::string& beginning) const {
  for (size_t k = at; k-- > 0;)
    if (chunks_[k].starts_with(beginning)) return k;
  return at;
}

size_t ConsoleHistory::after(size_t at, const std::string& beginning) const {
  for (size_t k = at + 1; k < chunks_.size(); ++k)
    if (chunks_[k].starts_with(beginning)) return k;
  return chunks_.size();
}

}  // namespace torsor::editor

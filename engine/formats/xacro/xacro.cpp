#include "torsor/formats/xacro/xacro.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/urdf/urdf.hpp"
#include "torsor/formats/xml/document.hpp"

namespace torsor {

namespace {

// Returns the line of the messages of xacro that states the error: the first one, or the last one
// of a Python traceback.
std::string error_in(const std::string& messages) {
  const bool trace = messages.find("Traceback (most recent call last)") != messages.npos;
  std::istringstream lines(messages);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    line = one_line(without_controls(line));
    if (line.find_first_not_of(' ') == line.npos) continue;
    if (out.empty() || trace) out = line;
  }
  constexpr size_t longest = 300;
  return out.size() > longest ? out.substr(0, longest) + "..." : out;
}

std::string why_failed(const ProgramResult& result, const ProgramLimits& limits) {
  switch (result.end) {
    case ProgramResult::End::not_found:
      return fmt::format(
          "the program xacro is not installed: install it, or on another computer, {}",
          xml::expand_xacro);
    case ProgramResult::End::failed_to_start:
      return "the program xacro cannot be started; check its installation";
    case ProgramResult::End::out_of_time:
      return fmt::format("xacro did not end within {} s; look for endless macros or includes",
                         double(limits.time.count()) / 1000);
    case ProgramResult::End::too_long:
      return fmt::format("xacro wrote more than {} MiB, the limit for robot files",
                         limits.output >> 20);
    case ProgramResult::End::exited:
      break;
  }
  if (result.status != 0) {
    const std::string error = error_in(result.messages);
    return fmt::format("xacro failed with status {}{}{}", result.status, error.empty() ? "" : ": ",
                       error);
  }
  return "";
}

constexpr std::string_view blanks = " \t\r\n";

// Returns the output of xacro with these options. An absolute path cannot be taken for an option.
std::string output_of_xacro(std::vector<std::string> words, const std::filesystem::path& file,
                            const ProgramLimits& limits) {
  words.insert(words.begin(), "xacro");
  words.push_back(std::filesystem::absolute(file).string());
  const ProgramResult result = run_program(words, limits);
  if (const std::string why = why_failed(result, limits); !why.empty())
    throw Error(fmt::format("{}: {}", file.string(), why));
  return result.output;
}

}  // namespace

std::string expand_xacro(const std::filesystem::path& file, const ProgramLimits& limits) {
  if (const std::string why = why_unreadable(file, InputKind::robot); !why.empty())
    throw Error(fmt::format("{}: {}; give a .xacro file", file.string(), why));
  const std::string out = output_of_xacro({}, file, limits);
  if (out.find_first_not_of(blanks) == out.npos)
    throw Error(
        fmt::format("{}: xacro wrote no robot; run it in a terminal to see why", file.string()));
  return out;
}

// A path may contain blanks: the next path begins at " /". If the part before is not a file, the
// path contains this blank too.
std::vector<std::filesystem::path> files_of_xacro(const std::filesystem::path& file,
                                                  const ProgramLimits& limits) {
  std::string text = output_of_xacro({"--deps"}, file, limits);
  text.erase(text.find_last_not_of(blanks) + 1);
  std::vector<std::filesystem::path> out;
  std::error_code ignored;
  for (size_t at = text.find_first_not_of(blanks); at < text.size();) {
    const size_t first_end = std::min(text.find(" /", at), text.size());
    size_t end = first_end;
    while (end < text.size() && !std::filesystem::exists(text.substr(at, end - at), ignored))
      end = std::min(text.find(" /", end + 1), text.size());
    if (!std::filesystem::exists(text.substr(at, end - at), ignored)) end = first_end;
    out.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return out;
}

RobotDescription read_xacro(const std::filesystem::path& file, const RobotFileOptions& options) {
  if (!options.run_programs)
    throw Error(fmt::format(
        "{}: a .xacro file is read only if you name it yourself, because the program xacro has to "
        "run; {}",
        file.string(), xml::expand_xacro));
  const std::string text = expand_xacro(file);
  if (options.meshes.found_file)
    for (const std::filesystem::path& each : files_of_xacro(file)) options.meshes.found_file(each);
  const std::string expanded = " (the lines are those after expansion, of: xacro " +
                               one_line(file.filename().string()) + ")";
  try {
    RobotDescription out = read_urdf_text(file, text, options);
    for (std::string& warning : out.warnings) warning += expanded;
    return out;
  } catch (const Error& error) {
    throw Error(error.what() + expanded);
  }
}

}  // namespace torsor

#include "torsor/formats/xacro/xacro.hpp"

#include <fmt/format.h>

#include <sstream>

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
  if (result.output.find_first_not_of(" \t\r\n") == result.output.npos)
    return "xacro wrote no robot; run it in a terminal to see why";
  return "";
}

}  // namespace

std::string expand_xacro(const std::filesystem::path& file, const ProgramLimits& limits) {
  if (const std::string why = why_unreadable(file, InputKind::robot); !why.empty())
    throw Error(fmt::format("{}: {}; give a .xacro file", file.string(), why));
  // An absolute path cannot be taken for an option.
  const ProgramResult result =
      run_program({"xacro", std::filesystem::absolute(file).string()}, limits);
  if (const std::string why = why_failed(result, limits); !why.empty())
    throw Error(fmt::format("{}: {}", file.string(), why));
  return result.output;
}

RobotDescription read_xacro(const std::filesystem::path& file, const RobotFileOptions& options) {
  if (!options.run_programs)
    throw Error(fmt::format(
        "{}: a .xacro file is read only if you name it yourself, because the program xacro has to "
        "run; {}",
        file.string(), xml::expand_xacro));
  const std::string text = expand_xacro(file);
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

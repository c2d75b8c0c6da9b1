#pragma once
// Lint: finds values in a description that are impossible or implausible for a robot. Such a robot
// can often be simulated, but the result is not that of the real machine.

#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor {

// error: impossible, or it cannot be simulated as written.
enum class Severity { note, warning, error };
std::string_view name(Severity severity);

struct Finding {
  struct Number {
    std::string name;
    double value;
    std::string unit;  // "" for a pure number
  };
  Severity severity;
  std::string rule;     // "inertia.triangle"
  std::string source;   // "file:line"; "" if the description has none
  std::string subject;  // "link 'upper'"
  std::string what;
  std::vector<Number> numbers;
  std::string advice;  // what to do; its numbers have enough digits to copy them
};

// Returns "file:line: severity: subject: what (name = value unit, ...); advice".
std::string as_line(const Finding& finding);

// Sorts errors first, then warnings, then notes; each by file and line.
void sort_for_reading(std::vector<Finding>& findings);

// Returns the findings, sorted for reading. Throws Error for a description that cannot be built.
std::vector<Finding> lint(const RobotDescription& robot);

}  // namespace torsor

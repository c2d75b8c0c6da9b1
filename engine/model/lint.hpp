#pragma once
// Lint: what a description says that no robot has, or hardly any. The robot can often be simulated all the same, and
// the result is then that of another machine than the one on the table.

#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor {

enum class Severity { note, warning, error };  // error: what cannot be, or cannot be simulated
std::string_view name(Severity severity);

struct Finding {
  struct Number {
    std::string name;
    double value;
    std::string unit;  // "" of a pure number
  };
  Severity severity;
  std::string rule;     // "inertia.triangle"
  std::string source;   // "file:line"; "" where the description has none
  std::string subject;  // "link 'upper'"
  std::string what;
  std::vector<Number> numbers;
  std::string advice;  // what to do; numbers to copy are those that read back to the same doubles
};

// "file:line: severity: subject: what (name = value unit, ...); advice"
std::string as_line(const Finding& finding);

void sort_by_line(std::vector<Finding>& findings);

// Sorted so. Numbers that are not finite, names that come twice and whatever else cannot be built throws Error.
std::vector<Finding> lint(const RobotDescription& robot);

}  // namespace torsor

#pragma once
// Lint: finds impossible or implausible values in the description of a robot. Such a robot can
// often be simulated, but the simulation differs from the real robot.

#include <string>
#include <string_view>
#include <vector>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {

// error: the value is impossible, or the robot cannot be simulated as written.
enum class Severity { note, warning, error };
std::string_view name(Severity severity);

struct Finding {
  struct Number {
    std::string name;
    double value;
    std::string unit;  // "" if dimensionless
  };
  Severity severity;
  std::string rule;     // such as "inertia.triangle"
  std::string source;   // place in the file, "file:line", or "" if unknown
  std::string subject;  // such as "link 'upper'"
  std::string what;
  std::vector<Number> numbers;
  std::string advice;  // how to fix the fault; its numbers have full precision
};

// Returns "file:line: severity: subject: what (name = value unit, ...); advice".
std::string as_line(const Finding& finding);

// Sorts the findings by severity (errors, warnings, notes), then by file and line.
void sort_for_reading(std::vector<Finding>& findings);

// Returns all findings, sorted by sort_for_reading(). meshes: the access to mesh files, whose
// solids are compared with the inertias; null: no mesh file is read. Throws Error if no model can
// be built from the description.
std::vector<Finding> lint(const RobotDescription& robot, const MeshAccess* meshes = nullptr);

}  // namespace torsor

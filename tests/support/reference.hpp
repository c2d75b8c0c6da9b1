#pragma once
// Values of independent programs: tables of tests/reference, and of a folder "shared" next to the
// repository. The latter has tables of published robots. Tests of published robots are registered
// only if that folder exists.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/agreement.hpp"

namespace torsor::test {

using Json = nlohmann::json;

// Reads a table of tests/reference by its file name. Throws std::runtime_error if it is absent or
// invalid.
Json stored_table(const std::string& file);

// Returns the names of the robots with a URDF file in tests/reference, sorted.
std::vector<std::string> stored_robots();
// Returns the names of the robots in shared/robots that are not in tests/reference, sorted. Empty
// without that folder.
std::vector<std::string> published_robots();
// Returns the stored robots, then the published ones.
std::vector<std::string> all_robots();
// Returns those of `robots` that have a table NAME + `suffix` + ".json".
std::vector<std::string> robots_with_table(const std::vector<std::string>& robots,
                                           const std::string& suffix = "");
// Returns the URDF file of a robot of all_robots().
std::filesystem::path robot_file(const std::string& name);
// Reads the table NAME.json of a robot, with values of Pinocchio. NAME_float has a floating base.
Json robot_table(const std::string& name);

// Convert a list of numbers to a vector, and a list of rows to a matrix.
Vector vector(const Json& list);
Matrix matrix(const Json& rows);

// A converter of vectors and square matrices of a table to the order of the engine's dof. column
// [n_v] has the engine's index of each column of the table.
struct ColumnOrder {
  Eigen::VectorXi column;
  Vector columns(const Json& list) const;
  Matrix square(const Json& rows) const;
};

}  // namespace torsor::test

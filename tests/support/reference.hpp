#pragma once
// Values of independent programs, from the tables of tests/reference and from a folder "shared"
// next to the repository. The latter has tables of published robots. Tests of published robots are
// registered only if that folder exists.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/agreement.hpp"

namespace torsor::test {

using Json = nlohmann::json;

// Reads a table of tests/reference, by file name. Throws std::runtime_error if it is absent or
// invalid.
Json stored_table(const std::string& file);

// Returns the names of the robots with a URDF file in tests/reference, sorted.
std::vector<std::string> stored_robots();
// Returns the names of the robots in shared/robots without a stored file, sorted; empty without
// that folder.
std::vector<std::string> published_robots();
// Returns the stored robots, then the published ones.
std::vector<std::string> all_robots();
// Returns the robots that have a table NAME + SUFFIX + ".json".
std::vector<std::string> robots_with_table(const std::vector<std::string>& robots,
                                           const std::string& suffix = "");
// Returns the URDF file of one of all_robots().
std::filesystem::path robot_file(const std::string& name);
// Reads the table NAME.json of Pinocchio's values of a robot; NAME_float has a floating base.
Json robot_table(const std::string& name);

// Converts a list of numbers, and a list of rows.
Vector vector(const Json& list);
Matrix matrix(const Json& rows);

// Converts vectors and square matrices of a table to the order of our dof. column [n_v]: our index
// of each column of the table.
struct ColumnOrder {
  Eigen::VectorXi column;
  Vector columns(const Json& list) const;
  Matrix square(const Json& rows) const;
};

}  // namespace torsor::test

#pragma once
// Values of independent programs: the tables stored in tests/reference, and the larger ones of a folder
// "shared" beside the repository, which not everybody has.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/agreement.hpp"

namespace torsor::test {

using Json = nlohmann::json;

// The folder beside the repository; it may be absent.
std::filesystem::path shared_folder();
bool has_shared_folder();

// A table of tests/reference, by file name. Throws std::runtime_error where it is absent or broken.
Json stored_table(const std::string& file);
// A table of shared/reference.
Json shared_table(const std::string& file);

// A list of numbers, and a list of rows.
Vector vector(const Json& list);
Matrix matrix(const Json& rows);

// Ours of each of a table's columns: vectors and square matrices of a table in our order.
struct ColumnOrder {
  Eigen::VectorXi column;
  Vector columns(const Json& list) const;
  Matrix square(const Json& rows) const;
};

}  // namespace torsor::test

#define TORSOR_NEEDS_SHARED_FOLDER()                                                               \
  if (!torsor::test::has_shared_folder())                                                          \
  GTEST_SKIP() << "the reference values are not there: " << torsor::test::shared_folder().string() \
               << " is not a folder"

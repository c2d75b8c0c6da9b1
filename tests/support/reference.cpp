#include "support/reference.hpp"

#include <fstream>
#include <stdexcept>

namespace torsor::test {

namespace {
const std::filesystem::path source_dir = TORSOR_SOURCE_DIR;

Json read(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return Json::parse(in);
}
}  // namespace

std::filesystem::path shared_folder() {
  return source_dir.parent_path() / "shared";
}

bool has_shared_folder() {
  return std::filesystem::is_directory(shared_folder() / "reference");
}

Json stored_table(const std::string& file) {
  return read(source_dir / "tests" / "reference" / file);
}

Json shared_table(const std::string& file) {
  return read(shared_folder() / "reference" / file);
}

Vector vector(const Json& list) {
  Vector out(list.size());
  for (size_t i = 0; i < list.size(); ++i) out[Eigen::Index(i)] = list[i].get<double>();
  return out;
}

Matrix matrix(const Json& rows) {
  Matrix out(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (size_t i = 0; i < rows.size(); ++i) out.row(Eigen::Index(i)) = vector(rows[i]).transpose();
  return out;
}

Vector ColumnOrder::columns(const Json& list) const {
  const Vector theirs = vector(list);
  Vector ours(column.size());
  for (Eigen::Index i = 0; i < column.size(); ++i) ours[column[i]] = theirs[i];
  return ours;
}

Matrix ColumnOrder::square(const Json& rows) const {
  const Matrix theirs = matrix(rows);
  Matrix ours(column.size(), column.size());
  for (Eigen::Index i = 0; i < column.size(); ++i)
    for (Eigen::Index j = 0; j < column.size(); ++j) ours(column[i], column[j]) = theirs(i, j);
  return ours;
}

}  // namespace torsor::test

#include "support/reference.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace torsor::test {

namespace {

namespace fs = std::filesystem;

fs::path stored_folder() {
  return fs::path(TORSOR_SOURCE_DIR) / "tests/reference";
}
fs::path shared_folder() {
  return fs::path(TORSOR_SOURCE_DIR).parent_path() / "shared";
}

fs::path table_file(const std::string& name) {
  const fs::path stored = stored_folder() / (name + ".json");
  return fs::exists(stored) ? stored : shared_folder() / "reference" / (name + ".json");
}

std::vector<std::string> urdf_files_in(const fs::path& folder) {
  std::vector<std::string> names;
  if (!fs::is_directory(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".urdf") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Json read(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return Json::parse(in);
}
}  // namespace

Json stored_table(const std::string& file) {
  return read(stored_folder() / file);
}

std::vector<std::string> stored_robots() {
  return urdf_files_in(stored_folder());
}

std::vector<std::string> published_robots() {
  std::vector<std::string> names = urdf_files_in(shared_folder() / "robots");
  std::erase_if(names, [](const std::string& name) {
    return fs::exists(stored_folder() / (name + ".urdf"));
  });
  return names;
}

std::vector<std::string> all_robots() {
  std::vector<std::string> names = stored_robots();
  for (const std::string& name : published_robots()) names.push_back(name);
  return names;
}

std::vector<std::string> robots_with_table(const std::vector<std::string>& robots,
                                           const std::string& suffix) {
  std::vector<std::string> names = robots;
  std::erase_if(names,
                [&](const std::string& name) { return !fs::exists(table_file(name + suffix)); });
  return names;
}

fs::path robot_file(const std::string& name) {
  const fs::path stored = stored_folder() / (name + ".urdf");
  return fs::exists(stored) ? stored : shared_folder() / "robots" / (name + ".urdf");
}

Json robot_table(const std::string& name) {
  return read(table_file(name));
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

#include "torsor/formats/mjcf/shapes/obj.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"

namespace torsor::mjcf {

namespace {

constexpr size_t most_obj_triangles = 5'000'000;

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view space = " \t\r";
  const size_t from = std::min(line.find_first_not_of(space), line.size());
  const size_t to = std::min(line.find_first_of(space, from), line.size());
  const std::string_view out = line.substr(from, to - from);
  line.remove_prefix(to);
  return out;
}

template <class T>
T number_of(std::string_view word, int line) {
  if (word.starts_with('+')) word.remove_prefix(1);
  T out{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error != std::errc{} || end == word.data())
    throw Error(
        fmt::format("the file is corrupt: line {} has no number where one is needed", line));
  return out;
}

Vec3<double> vertex_of(std::string_view words, int line) {
  double p[3];
  for (double& x : p) x = float(number_of<double>(next_word(words), line));
  if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
    throw Error("the file has a vertex that is not finite; export it again");
  return {p[0], p[1], p[2]};
}

// Reads the corners of a face: V, V/T, V//N or V/T/N. V counts from 1, or backwards from -1.
std::vector<uint32_t> face_corners(std::string_view words, size_t n_vertex, int line) {
  std::vector<uint32_t> out;
  for (std::string_view word = next_word(words); !word.empty(); word = next_word(words)) {
    const long given = number_of<long>(word, line);
    const long index = given < 0 ? long(n_vertex) + given : given - 1;
    if (index < 0 || index >= long(n_vertex))
      throw Error("the file refers to a missing vertex; export it again");
    out.push_back(uint32_t(index));
  }
  return out;
}

void add_face(const std::vector<uint32_t>& c, Triangles& out) {
  const auto& p = out.vertices;
  if (c.size() == 4 && !(norm(p[c[2]] - p[c[0]]) < norm(p[c[3]] - p[c[1]]))) {
    out.corners.push_back({c[0], c[1], c[3]});
    out.corners.push_back({c[1], c[2], c[3]});
    return;
  }
  for (size_t k = 2; k < c.size(); ++k) out.corners.push_back({c[0], c[k - 1], c[k]});
}

}  // namespace

Triangles read_obj(const std::filesystem::path& file) {
  if (const std::string why = why_unreadable(file, InputKind::mesh); !why.empty()) throw Error(why);
  std::ifstream in(file, std::ios::binary);
  Triangles out;
  std::vector<std::vector<uint32_t>> faces;
  bool ended = false;
  int line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    std::string_view words = text;
    const std::string_view kind = next_word(words);
    if (kind == "v")
      out.vertices.push_back(vertex_of(words, line));
    else if (kind == "f" && !ended)
      faces.push_back(face_corners(words, out.vertices.size(), line));
    else if ((kind == "o" || kind == "g") && !faces.empty())
      ended = true;
    if (faces.size() > most_obj_triangles)
      throw Error(fmt::format("the file has more than {} faces; reduce it", most_obj_triangles));
  }
  for (const auto& face : faces) add_face(face, out);
  return out;
}

}  // namespace torsor::mjcf

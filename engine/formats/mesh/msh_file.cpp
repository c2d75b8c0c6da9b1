#include "torsor/formats/mesh/msh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

template <class T>
std::vector<T> numbers_at(const std::string& bytes, size_t& at, size_t count) {
  std::vector<T> out(count);
  std::memcpy(out.data(), bytes.data() + at, count * sizeof(T));
  at += count * sizeof(T);
  return out;
}

// Returns the sum of the normals of the triangles at each vertex, as unit vectors.
std::vector<float> normals_of(const std::vector<float>& p, const std::vector<uint32_t>& corners) {
  std::vector<Vec3<double>> sums(p.size() / 3);
  const auto point = [&](uint32_t i) { return Vec3<double>{p[3 * i], p[3 * i + 1], p[3 * i + 2]}; };
  for (size_t k = 0; k + 2 < corners.size(); k += 3) {
    const Vec3<double> a = point(corners[k]);
    const Vec3<double> n = cross(point(corners[k + 1]) - a, point(corners[k + 2]) - a);
    for (size_t i = 0; i < 3; ++i) sums[corners[k + i]] += n;
  }
  std::vector<float> out;
  for (const Vec3<double>& sum : sums) {
    const double length = norm(sum);
    const Vec3<double> n =
        length > 0 && std::isfinite(length) ? (1 / length) * sum : Vec3<double>{0, 0, 1};
    out.insert(out.end(), {float(n.x), float(n.y), float(n.z)});
  }
  return out;
}

}  // namespace

Surface read_msh(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  size_t at = 0;
  std::array<uint32_t, 4> counts{};
  if (bytes.size() >= sizeof counts)
    std::ranges::copy(numbers_at<uint32_t>(bytes, at, 4), counts.begin());
  const uint32_t n_vertex = counts[0], n_normal = counts[1], n_texture = counts[2],
                 n_triangle = counts[3];
  const double size =
      16 + 4 * (3.0 * n_vertex + 3.0 * n_normal + 2.0 * n_texture + 3.0 * n_triangle);
  if (n_vertex == 0 || size != double(bytes.size()))
    throw Error("the file is corrupt: its size does not fit to its numbers of vertices");
  if (n_triangle > most_triangles)
    throw Error(fmt::format("the file has {} triangles, more than the limit of {}; reduce it",
                            n_triangle, most_triangles));
  const auto vertices = numbers_at<float>(bytes, at, 3 * size_t(n_vertex));
  at += 4 * (3 * size_t(n_normal) + 2 * size_t(n_texture));
  Surface out;
  out.id = next_surface_id();
  out.corners = numbers_at<uint32_t>(bytes, at, 3 * size_t(n_triangle));
  if (std::ranges::any_of(out.corners, [&](uint32_t i) { return i >= n_vertex; }))
    throw Error("the file refers to a missing vertex; export it again");
  if (!std::ranges::all_of(vertices, [](float x) { return std::isfinite(x); }))
    throw Error("the file has a vertex that is not finite; export it again");
  const std::vector<float> normals = normals_of(vertices, out.corners);
  constexpr double far = std::numeric_limits<double>::infinity();
  out.low = {far, far, far};
  out.high = -out.low;
  for (size_t k = 0; k < vertices.size(); k += 3) {
    const float *p = &vertices[k], *n = &normals[k];
    out.vertices.insert(out.vertices.end(), {p[0], p[1], p[2], n[0], n[1], n[2]});
    out.low = {std::min(out.low.x, double(p[0])), std::min(out.low.y, double(p[1])),
               std::min(out.low.z, double(p[2]))};
    out.high = {std::max(out.high.x, double(p[0])), std::max(out.high.y, double(p[1])),
                std::max(out.high.z, double(p[2]))};
  }
  return out;
}

}  // namespace torsor

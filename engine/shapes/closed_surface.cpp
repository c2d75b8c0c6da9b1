#include "torsor/shapes/closed_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

std::string text(const Vec3<double>& p) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", p.x, p.y, p.z);
}

// Returns, for each vertex, the first vertex at the same place. Files often repeat a vertex for
// each triangle.
std::vector<uint32_t> first_at_place(const std::vector<Vec3<double>>& vertices) {
  std::vector<uint32_t> order(vertices.size()), first(vertices.size());
  for (uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto place = [&](uint32_t k) {
    const Vec3<double>& p = vertices[k];
    return std::tuple(p.x, p.y, p.z);
  };
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tuple(place(a), a) < std::tuple(place(b), b);
  });
  for (size_t k = 0; k < order.size(); ++k)
    first[order[k]] =
        k > 0 && place(order[k]) == place(order[k - 1]) ? first[order[k - 1]] : order[k];
  return first;
}

// An edge from vertex a to vertex b with a < b, and the direction in which a triangle passes it.
struct Edge {
  uint32_t a, b;
  int direction;  // 1: from a to b, -1: from b to a
};

std::vector<Edge> sorted_edges(const Triangles& surface, const std::vector<uint32_t>& first) {
  std::vector<Edge> edges;
  for (const auto& triangle : surface.corners)
    for (int k = 0; k < 3; ++k) {
      const uint32_t a = first[triangle[size_t(k)]], b = first[triangle[size_t((k + 1) % 3)]];
      if (a != b) edges.push_back(a < b ? Edge{a, b, 1} : Edge{b, a, -1});
    }
  std::ranges::sort(edges, {}, [](const Edge& edge) { return std::pair(edge.a, edge.b); });
  return edges;
}

// A surface is closed if triangles pass each edge as often in one direction as in the other.
void require_closed(const Triangles& surface, const std::vector<uint32_t>& first) {
  const std::vector<Edge> edges = sorted_edges(surface, first);
  size_t open = 0;
  std::string place;
  for (size_t k = 0; k < edges.size();) {
    const size_t begin = k;
    int sum = 0;
    for (; k < edges.size() && edges[k].a == edges[begin].a && edges[k].b == edges[begin].b; ++k)
      sum += edges[k].direction;
    if (sum == 0) continue;
    const std::string edge =
        text(surface.vertices[edges[begin].a]) + " to " + text(surface.vertices[edges[begin].b]);
    if ((k - begin) % 2 == 0)
      throw Error(
          fmt::format("two triangles at the edge from {} m have opposite sides outside; make the "
                      "orientation of the triangles consistent",
                      edge));
    if (open++ == 0) place = edge;
  }
  if (open > 0)
    throw Error(
        fmt::format("the mesh is not closed: {} edges have a triangle on one side only, the "
                    "first from {} m; close the hole",
                    open, place));
}

// Returns the representative of a vertex in a forest of parents, and shortens the path to it.
uint32_t root(std::vector<uint32_t>& parent, uint32_t vertex) {
  while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
  return vertex;
}

// Returns how often the triangles of all other parts go round a point: the sum of their solid
// angles over 4 pi. With r_i the corners relative to the point, the solid angle of a triangle is
// (van Oosterom and Strackee 1983)
//   2 atan2(r_1 . (r_2 x r_3), |r_1||r_2||r_3| + (r_1 . r_2)|r_3| + (r_1 . r_3)|r_2| +
//   (r_2 . r_3)|r_1|)
double winding_number(const Triangles& surface, std::span<const uint32_t> parts, uint32_t but,
                      const Vec3<double>& point) {
  double sum = 0;
  for (size_t k = 0; k < surface.corners.size(); ++k) {
    if (parts[k] == but) continue;
    const auto& [a, b, c] = surface.corners[k];
    const Vec3<double> p = surface.vertices[a] - point, q = surface.vertices[b] - point,
                       r = surface.vertices[c] - point;
    const double P = norm(p), Q = norm(q), R = norm(r);
    sum +=
        std::atan2(dot(p, cross(q, r)), P * Q * R + dot(p, q) * R + dot(p, r) * Q + dot(q, r) * P);
  }
  return sum / (2 * std::numbers::pi);
}

}  // namespace

std::vector<uint32_t> parts_of_closed_surface(const Triangles& surface) {
  std::vector<uint32_t> parent = first_at_place(surface.vertices);
  require_closed(surface, parent);
  for (const auto& [a, b, c] : surface.corners)
    for (const uint32_t other : {b, c}) parent[root(parent, other)] = root(parent, a);
  std::vector<uint32_t> number(surface.vertices.size(), 0), out;
  uint32_t count = 0;
  for (const auto& corner : surface.corners) {
    uint32_t& part = number[root(parent, corner[0])];
    if (part == 0) part = ++count;
    out.push_back(part - 1);
  }
  return out;
}

void require_cavities(const Triangles& surface, std::span<const uint32_t> parts,
                      std::span<const double> volumes) {
  const bool is_positive = std::accumulate(volumes.begin(), volumes.end(), 0.0) > 0;
  std::vector<char> checked(volumes.size(), 0);
  constexpr double most = 1e9;  // triangles in all sums, less than a minute
  double work = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    const uint32_t part = parts[k];
    if (std::exchange(checked[part], 1) || volumes[part] == 0 || (volumes[part] > 0) == is_positive)
      continue;
    if ((work += double(parts.size())) > most)
      throw Error("the mesh has too many cavities to check that each is inside another part");
    const Vec3<double>& point = surface.vertices[surface.corners[k][0]];
    if (std::abs(winding_number(surface, parts, part, point)) < 0.5)
      throw Error(fmt::format(
          "the part of the mesh at {} m is inside out and not inside another part; reverse its "
          "triangles",
          text(point)));
  }
}

}  // namespace torsor

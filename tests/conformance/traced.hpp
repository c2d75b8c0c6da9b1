#pragma once
// Quantities of a trace as vectors, for tests of traces.

#include "conformance/solvers.hpp"
#include "torsor/handles/tracer.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {

inline constexpr double tolerance = 1e-11;  // relative: 45 000 roundings

inline Tracer tracer(const char* solver, const std::shared_ptr<const Model>& model,
                     Tracer::Frames frames = Tracer::Frames::of_links) {
  return Tracer(build_registry().object(solver, model), model, frames);
}
// Returns a traced quantity by its symbol. `row` is a body or a dof.
inline Vector traced(const Tracer& of, const char* symbol, int row) {
  const std::span<const double> x = of.at(of.table().find(symbol).value(), row);
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size()));
}
inline Vector result(const Tracer& of) {
  return Eigen::Map<const Vector>(of.result().data(), Eigen::Index(of.result().size()));
}
inline Vec3<double> traced3(const Tracer& of, const char* symbol, int row) {
  const Vector x = traced(of, symbol, row);
  return {x[0], x[1], x[2]};
}
inline Vector stacked(const Vec3<double>& a, const Vec3<double>& b) {
  return (Vector(6) << a.x, a.y, a.z, b.x, b.y, b.z).finished();
}
inline void expect_near(const Vector& a, const Vector& b, double size, const char* what) {
  EXPECT_LT((a - b).norm(), tolerance * (size + b.norm())) << what << "\n"
                                                           << a.transpose() << "\n"
                                                           << b.transpose();
}
inline const Frame& link_frame(const Tracer& of, int body) {
  return of.model().frames[size_t(of.model().links[size_t(of.link(body))].frame)];
}

}  // namespace torsor::test

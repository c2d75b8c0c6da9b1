#include "torsor/formats/mjcf/shapes/body_inertia.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/formats/mjcf/shapes/principal_axes.hpp"
#include "torsor/model/inertia.hpp"

namespace torsor::mjcf {

namespace {

struct ComInertia {
  double mass = 0;
  Vec3<double> com{};
  Sym3<double> I{};  // about the COM, in the axes of the body
};

// fullinertia is in the axes of the body, in the order xx, yy, zz, xy, xz, yz.
ComInertia read_inertial(const Values& values, const Compiler& compiler, const Pose<double>& X_BF) {
  values.own().need("mass");
  const Pose<double> X_BI = X_BF * read_pose(values, compiler);
  ComInertia out{values.not_negative("mass", 0), X_BI.p, {}};
  if (const auto full = values.numbers<6>("fullinertia")) {
    const auto& [xx, yy, zz, xy, xz, yz] = *full;
    out.I = rotate(X_BF.R, principal_axes({xx, yy, zz, xy, xz, yz}).inertia());
  } else {
    const Vec3<double> d = values.vector("diaginertia", {0, 0, 0});
    out.I = rotate(X_BI.R, Sym3<double>{d.x, d.y, d.z, 0, 0, 0});
  }
  return out;
}

bool has_inertia(const Geom& geom, const Compiler& compiler) {
  return geom.group >= compiler.groups[0] && geom.group <= compiler.groups[1];
}

// A single geom keeps its own principal axes.
ComInertia sum_of_geoms(const Compiler& compiler, const std::vector<Geom>& geoms) {
  auto sum = SpatialInertia<double>::zero();
  size_t count = 0;
  Vec3<double> place{};
  for (const Geom& geom : geoms) {
    if (!has_inertia(geom, compiler)) continue;
    sum = sum + inertia_of(geom);
    if (count++ == 0) place = geom.X_BG.p;
  }
  if (!(sum.m > 0)) return {0, place, {}};
  const Vec3<double> com = (1 / sum.m) * sum.h;
  const Sym3<double> I = shift(-com, sum.m, sum.h, sum.I).I;
  return {sum.m, com, count > 1 ? principal_axes(I).inertia() : I};
}

// Applies the minimum of the moments, and makes the moments equal if no body can have them.
Sym3<double> bounded(const Sym3<double>& I, const Compiler& compiler) {
  PrincipalAxes out = principal_axes(I);
  const std::array<double, 3> given = out.moments;
  auto& [a, b, c] = out.moments;
  for (double* moment : {&a, &b, &c}) *moment = std::max(*moment, compiler.bound_inertia);
  if (compiler.balance_inertia && (a + b < c || a + c < b || b + c < a))
    out.moments.fill((a + b + c) / 3);
  return out.moments == given ? I : out.inertia();
}

}  // namespace

SpatialInertia<double> body_inertia(const Compiler& compiler, const Values* inertial,
                                    const Pose<double>& X_BF, const std::vector<Geom>& geoms) {
  ComInertia out;
  const bool has_geoms =
      std::ranges::any_of(geoms, [&](const Geom& geom) { return has_inertia(geom, compiler); });
  const bool replaced = compiler.inertia_from_geom == InertiaFromGeom::always && has_geoms;
  if (inertial && !replaced)
    out = read_inertial(*inertial, compiler, X_BF);
  else if (compiler.inertia_from_geom != InertiaFromGeom::never)
    out = sum_of_geoms(compiler, geoms);
  out.mass = std::max(out.mass, compiler.bound_mass);
  if (compiler.bound_inertia > 0 || compiler.balance_inertia) out.I = bounded(out.I, compiler);
  return inertia_about_com(out.mass, out.com, out.I);
}

void scale_masses(RobotDescription& robot, double total) {
  double sum = 0;
  for (const LinkDescription& link : robot.links) sum += link.inertia.m;
  if (!(sum > 0)) return;
  for (LinkDescription& link : robot.links) link.inertia = (total / sum) * link.inertia;
}

}  // namespace torsor::mjcf

#pragma once
// What a user says of a link's inertia, said explicitly: about the centre of mass, about the link's
// origin, or as first moments. All in link axes. And the checks of what a body can be.

#include <array>
#include <optional>
#include <string>

#include "torsor/spatial/inertia.hpp"

namespace torsor {

// I_c about the COM c: I_O = I_c + m (c.c 1 - c c^T)   (Steiner; KHALIL 7.12)
SpatialInertia<double> inertia_about_com(double mass, const Vec3<double>& com,
                                         const Sym3<double>& I_com);
// I_O about the link's origin, with the COM c
SpatialInertia<double> inertia_about_origin(double mass, const Vec3<double>& com,
                                            const Sym3<double>& I_origin);
// (m, m c, I_O): KHALIL's M, MS, J
SpatialInertia<double> inertia_from_moments(double mass, const Vec3<double>& first_moment,
                                            const Sym3<double>& I_origin);

struct PrincipalInertia {
  std::array<double, 3> moments;  // about the COM, ascending
  Mat3<double> axes;              // columns
};
PrincipalInertia principal_inertia(const SpatialInertia<double>& inertia);

// Why no rigid body of non-negative density has this inertia, with the numbers; nothing where one
// does. Tests finiteness of nothing: the builder refuses numbers that are not finite first.
std::optional<std::string> physical_defect(const SpatialInertia<double>& inertia);

// The moments about the COM, in link axes, of the body that is nearest to these: the same where a
// body has them.
Sym3<double> nearest_possible_inertia(const SpatialInertia<double>& inertia);

}  // namespace torsor

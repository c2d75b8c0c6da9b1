#pragma once
// Converts inertias from the forms in which users give them: about the centre of mass, about the
// link's origin, or as first moments. All are in link axes. Also checks whether a rigid body can
// have an inertia.

#include <array>
#include <optional>
#include <string>

#include "torsor/spatial/inertia.hpp"

namespace torsor {

// Returns the inertia of a body with inertia matrix I_c about its COM c (Steiner; KHALIL 7.12):
//   I_O = I_c + m (c.c 1 - c c^T)
SpatialInertia<double> inertia_about_com(double mass, const Vec3<double>& com,
                                         const Sym3<double>& I_com);
// Returns the inertia of a body with inertia matrix I_O about the link's origin. com: centre of
// mass c.
SpatialInertia<double> inertia_about_origin(double mass, const Vec3<double>& com,
                                            const Sym3<double>& I_origin);
// Returns the inertia of a body with mass m, first moment m c, and I_O about the link's origin: M,
// MS, J of KHALIL.
SpatialInertia<double> inertia_from_moments(double mass, const Vec3<double>& first_moment,
                                            const Sym3<double>& I_origin);

struct PrincipalInertia {
  std::array<double, 3> moments;  // about the COM, ascending
  Mat3<double> axes;              // columns are the principal axes
};
PrincipalInertia principal_inertia(const SpatialInertia<double>& inertia);

// Returns the reason, with the numbers, why no rigid body of non-negative density has this inertia.
// Returns nullopt if a rigid body can have it. Requires finite numbers, which the builder checks
// first.
std::optional<std::string> physical_defect(const SpatialInertia<double>& inertia);

// Returns the inertia about the COM, in link axes, that is nearest to the given one among those
// that rigid bodies can have. The inertia is unchanged if a rigid body can have it.
Sym3<double> nearest_possible_inertia(const SpatialInertia<double>& inertia);

}  // namespace torsor

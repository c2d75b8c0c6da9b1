#pragma once
// Inertias as users give them: about the centre of mass, about the link's origin, or as first
// moments, all in link axes. Also checks if a body can have an inertia.

#include <array>
#include <optional>
#include <string>

#include "torsor/spatial/inertia.hpp"

namespace torsor {

// Returns the inertia for the inertia matrix I_c about the COM c (Steiner; KHALIL 7.12):
//   I_O = I_c + m (c.c 1 - c c^T)
SpatialInertia<double> inertia_about_com(double mass, const Vec3<double>& com,
                                         const Sym3<double>& I_com);
// Returns the inertia for the inertia matrix I_O about the link's origin. com: centre of mass c.
SpatialInertia<double> inertia_about_origin(double mass, const Vec3<double>& com,
                                            const Sym3<double>& I_origin);
// Returns the inertia for (m, m c, I_O): M, MS, J of KHALIL.
SpatialInertia<double> inertia_from_moments(double mass, const Vec3<double>& first_moment,
                                            const Sym3<double>& I_origin);

struct PrincipalInertia {
  std::array<double, 3> moments;  // about the COM, ascending
  Mat3<double> axes;              // columns
};
PrincipalInertia principal_inertia(const SpatialInertia<double>& inertia);

// Returns why no rigid body of non-negative density has this inertia, with the numbers, or nullopt
// if one can have it. Does not check that the numbers are finite: the builder rejects those first.
std::optional<std::string> physical_defect(const SpatialInertia<double>& inertia);

// Returns moments about the COM, in link axes, that a body can have and that are nearest to those
// of the inertia. They are unchanged if a body can have them.
Sym3<double> nearest_possible_inertia(const SpatialInertia<double>& inertia);

}  // namespace torsor

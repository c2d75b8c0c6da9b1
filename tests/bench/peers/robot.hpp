#pragma once
// The translation of a robot for another library. This header contains no type of Eigen, because
// libraries that are built from their sources use another alignment of Eigen's types than Torsor.

#include <functional>

#include "bench/subject.hpp"

namespace torsor::bench {

using MakeSubject = std::unique_ptr<Subject>(const Model& model, std::span<const Sample> samples);

// Pinocchio and RBDL, if they are built from their sources. Their objects export nothing else.
[[gnu::visibility("default")]] MakeSubject make_pinocchio, make_rbdl;
[[gnu::visibility("default")]] const char* pinocchio_version();
[[gnu::visibility("default")]] const char* rbdl_version();

// The inertia about the COM, the form that most libraries require. Without mass, the COM is the
// origin.
struct CentralInertia {
  Vec3<double> com;
  Sym3<double> I;  // about the COM
};
CentralInertia about_com(const SpatialInertia<double>& M);

// Throws Error if a joint does not have exactly one degree of freedom.
void require_single_joints(const Model& model);
// Throws Error if a joint is not revolute or prismatic.
void require_simple_joints(const Model& model);

// Throws Error if a body has first moments but no mass. Mass, COM and inertia about the COM cannot
// represent it.
void require_centres_of_mass(const Model& model);

}  // namespace torsor::bench

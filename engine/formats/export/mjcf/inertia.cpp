// Poses and inertias in MJCF.

#include "torsor/formats/export/mjcf/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/export/numbers.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

using tinyxml2::XMLElement;

namespace {

// Writes the moments about the principal axes, and these axes: MuJoCo computes the axes of
// `fullinertia` with an error of 1e-6 rad.
void set_moments(XMLElement& inertial, const Sym3<double>& I, double error) {
  if (is_zero({I.xy, I.xz, I.yz})) {
    std::string text;
    for (const double x : {I.xx, I.yy, I.zz}) text += (text.empty() ? "" : " ") + rounded(x, error);
    set(inertial, "diaginertia", text);
    return;
  }
  auto [moments, axes] = principal_inertia({0, {0, 0, 0}, I});
  const Vec3<double> z = cross(Vec3<double>{axes(0, 0), axes(1, 0), axes(2, 0)},
                               Vec3<double>{axes(0, 1), axes(1, 1), axes(2, 1)});
  for (const auto& [row, x] : {std::pair{0, z.x}, {1, z.y}, {2, z.z}}) axes(row, 2) = x;
  set(inertial, "diaginertia", numbers({moments[0], moments[1], moments[2]}, " "));
  set_quaternion(inertial, axes);
}

// Notes what the format has, and MuJoCo itself rejects.
void note_what_mujoco_rejects(const LinkDescription& link, Ledger& ledger) {
  const Sym3<double> I = about_com(link.inertia).I;
  const bool positive = I.xx > 0 && I.yy > 0 && I.zz > 0, massless = link.inertia.m == 0;
  if (link.joint.kind != JointKind::fixed && massless)
    ledger.note("moving link without mass", link_subject(link),
                "written, but MuJoCo rejects it unless links that are fixed to it have mass");
  if (!massless && !positive)
    ledger.note("mass without inertia", link_subject(link), "written, but MuJoCo rejects it");
  else if (physical_defect(link.inertia))
    ledger.note("inertia that no rigid body has", link_subject(link),
                "written, but MuJoCo rejects it without balanceinertia");
  if (link.joint.lower == link.joint.upper)
    ledger.note("equal position limits", joint_subject(link), "written, but MuJoCo rejects them");
}

}  // namespace

void set_quaternion(XMLElement& element, const Mat3<double>& R) {
  const Quaternion q = normalised(quaternion(R));
  std::string text;
  for (const double x : {q.w, q.x, q.y, q.z}) text += (text.empty() ? "" : " ") + rounded(x, 2e-16);
  set(element, "quat", text);
}

void set_mjcf_pose(XMLElement& element, const Pose<double>& X) {
  if (!is_zero(X.p)) set(element, "pos", rounded(X.p, " "));
  if (!is_identity(X.R)) set_quaternion(element, X.R);
}

void add_inertia(XMLElement& body, const LinkDescription& link, Ledger& ledger) {
  check_inertia(link, ledger);
  const auto [mass, com, I, error] = about_com(link.inertia);
  const bool none = mass == 0 && is_zero({I.xx, I.yy, I.zz}) && is_zero({I.xy, I.xz, I.yz});
  note_what_mujoco_rejects(link, ledger);
  if (none) return;
  XMLElement& inertial = add(body, "inertial");
  set(inertial, "pos", rounded(com, " "));
  set(inertial, "mass", mass);
  set_moments(inertial, I, error);
}

}  // namespace torsor::exporting

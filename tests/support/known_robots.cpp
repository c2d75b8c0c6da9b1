#include "support/known_robots.hpp"

namespace torsor::test {

namespace {
Vec3<double> vec3(const Json& list) {
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}

std::string numbered(const char* what, size_t i) {
  return what + std::to_string(i);
}

// Returns revolute link i of a chain, counted from 1.
LinkDescription chain_link(size_t i) {
  LinkDescription link;
  link.name = numbered("link", i);
  link.parent = i > 1 ? numbered("link", i - 1) : "";
  link.joint.name = numbered("joint", i);
  link.joint.kind = JointKind::revolute;
  return link;
}
}  // namespace

RobotDescription rx90(const Json& table, RxParameters parameters) {
  const bool base = parameters == RxParameters::base;
  const Json& values = table[base ? "base_full" : "standard_parameters"];
  const Json& mass = values[base ? "M" : "mass"];
  RobotDescription robot;
  robot.name = "rx90";
  for (size_t i = 0; i < 6; ++i) {
    // The order of J is XX XY XZ YY YZ ZZ.
    const Json &row = table["dh"]["rows"][i], &J = values["J_O"][i];
    LinkDescription link = chain_link(i + 1);
    link.joint.placement = ModifiedDh{.alpha = row[1], .d = row[2], .theta = row[3], .r = row[4]};
    link.joint.armature = values["IA"][i].get<double>();
    link.inertia =
        inertia_from_moments(mass[i], vec3(values["MS"][i]), {J[0], J[3], J[5], J[1], J[2], J[4]});
    link.grouped = base;
    robot.links.push_back(link);
  }
  return robot;
}

RobotDescription iiwa(const Json& table) {
  const Json& model = table["model"];
  RobotDescription robot;
  robot.name = "iiwa";
  // Rounding in the table breaks the triangle inequality of links 4 and 7.
  robot.nonphysical = Nonphysical::allow;
  for (size_t i = 0; i < 7; ++i) {
    const Json& row = model["inertia_table"][i];  // m, c, Ixx Ixy Ixz Iyy Iyz Izz
    LinkDescription link = chain_link(i + 1);
    ScrewPlacement screw;
    screw.X_PL.p = vec3(model["p_i"][i]);
    for (int k = 0; k < 9; ++k) screw.X_PL.R.m[k] = model["R_i"][i][k / 3][k % 3];
    link.joint.placement = screw;
    link.inertia = inertia_about_com(row[0], {row[1], row[2], row[3]},
                                     {row[4], row[7], row[9], row[5], row[6], row[8]});
    robot.links.push_back(link);
  }
  return robot;
}

RobotDescription planar_n_link(const Vector& length, const Vector& mass) {
  RobotDescription robot;
  robot.name = "planar";
  robot.family = "planar_n_link";
  for (Eigen::Index i = 0; i < length.size(); ++i) {
    LinkDescription link = chain_link(size_t(i) + 1);
    ScrewPlacement screw;
    screw.X_PL.p = {i > 0 ? length[i - 1] : 0.0, 0, 0};
    link.joint.placement = screw;
    link.inertia = inertia_about_com(mass[i], {length[i], 0, 0}, {0, 0, 0, 0, 0, 0});
    robot.frames.push_back(
        {numbered("tip", size_t(i) + 1), link.name, translation<double>({length[i], 0, 0}), ""});
    robot.links.push_back(link);
  }
  return robot;
}

}  // namespace torsor::test

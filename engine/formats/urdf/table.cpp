#include "torsor/formats/urdf/table.hpp"

namespace torsor::urdf {

namespace {

// clang-format off
constexpr Row rows[] = {
    {"", "robot", Use::used},

    {"robot", "@name", Use::used},
    {"robot", "@version", Use::ignored},
    {"robot", "link", Use::used, "", true},
    {"robot", "joint", Use::used, "", true},
    {"robot", "material", Use::used, "", true},
    {"robot", "transmission", Use::ignored},
    {"robot", "gazebo", Use::ignored},
    {"robot", "sensor", Use::ignored},
    {"robot", "ros2_control", Use::ignored},
    {"robot", "mujoco", Use::ignored},
    {"robot", "drake:collision_filter_group", Use::ignored},

    {"link", "@name", Use::used},
    {"link", "@type", Use::ignored},
    {"link", "inertial", Use::used},
    {"link", "visual", Use::used, "", true},
    {"link", "collision", Use::ignored},
    {"link", "collision_checking", Use::ignored},
    {"link", "self_collision_checking", Use::ignored},
    {"link", "self_filter", Use::ignored},
    {"link", "contact", Use::ignored},
    {"link", "material", Use::ignored},
    {"link", "sensor", Use::ignored},
    {"link", "gazebo", Use::ignored},

    {"inertial", "origin", Use::used},
    {"inertial", "mass", Use::used},
    {"inertial", "inertia", Use::used},
    {"mass", "@value", Use::used},
    {"inertia", "@ixx", Use::used},
    {"inertia", "@ixy", Use::used},
    {"inertia", "@ixz", Use::used},
    {"inertia", "@iyy", Use::used},
    {"inertia", "@iyz", Use::used},
    {"inertia", "@izz", Use::used},
    {"origin", "@xyz", Use::used},
    {"origin", "@rpy", Use::used},

    {"visual", "@name", Use::ignored},
    {"visual", "origin", Use::used},
    {"visual", "geometry", Use::used},
    {"visual", "material", Use::used},
    {"geometry", "box", Use::used},
    {"geometry", "cylinder", Use::used},
    {"geometry", "sphere", Use::used},
    {"geometry", "mesh", Use::used},
    {"geometry", "capsule", Use::used},
    {"geometry", "plane", Use::ignored},
    {"geometry", "drake:capsule", Use::ignored},
    {"geometry", "drake:ellipsoid", Use::ignored},
    {"box", "@size", Use::used},
    {"cylinder", "@radius", Use::used},
    {"cylinder", "@length", Use::used},
    {"capsule", "@radius", Use::used},
    {"capsule", "@length", Use::used},
    {"sphere", "@radius", Use::used},
    {"mesh", "@filename", Use::used},
    {"mesh", "@scale", Use::used},
    {"mesh", "drake:declare_convex", Use::ignored},
    {"material", "@name", Use::used},
    {"material", "color", Use::used},
    {"material", "texture", Use::ignored},
    {"color", "@rgba", Use::used},

    {"joint", "@name", Use::used},
    {"joint", "@type", Use::used},
    {"joint", "@dont_collapse", Use::ignored},
    {"joint", "origin", Use::used},
    {"joint", "parent", Use::used},
    {"joint", "child", Use::used},
    {"joint", "axis", Use::used, "fixed/floating"},
    {"joint", "limit", Use::used, "fixed/floating/planar"},
    {"joint", "dynamics", Use::used, "fixed/floating/planar"},
    {"joint", "mimic", Use::used, "fixed/floating/planar"},
    {"joint", "safety_controller", Use::ignored},
    {"joint", "calibration", Use::ignored},
    {"joint", "gazebo", Use::ignored},
    {"parent", "@link", Use::used},
    {"child", "@link", Use::used},
    {"axis", "@xyz", Use::used},
    {"limit", "@lower", Use::used, "continuous"},
    {"limit", "@upper", Use::used, "continuous"},
    {"limit", "@velocity", Use::used},
    {"limit", "@effort", Use::used},
    {"limit", "@acceleration", Use::ignored},
    {"limit", "@deceleration", Use::ignored},
    {"limit", "@jerk", Use::ignored},
    {"limit", "@drake:acceleration", Use::ignored},
    {"dynamics", "@damping", Use::used},
    {"dynamics", "@friction", Use::used},
    {"dynamics", "@D", Use::unsupported},
    {"dynamics", "@K", Use::unsupported},
    {"dynamics", "@mu_coulomb", Use::unsupported},
    {"dynamics", "@mu_viscous", Use::unsupported},
    {"mimic", "@joint", Use::used},
    {"mimic", "@multiplier", Use::used},
    {"mimic", "@offset", Use::used},
};
// clang-format on

}  // namespace

std::span<const Row> table() {
  return rows;
}

std::optional<size_t> find_row(std::string_view parent, std::string_view name) {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].parent == parent && rows[i].name == name) return i;
  return std::nullopt;
}

}  // namespace torsor::urdf

#pragma once
// The parameters of the controller whole_body, and their indices.

#include <array>

#include "torsor/sdk/param_rows.hpp"

namespace torsor {

enum : uint32_t {
  feet_row,
  sole_row,
  radius_row,
  mu_row,
  sides_row,
  normal_row,
  contact_weight_row,
  contact_kd_row,
  force_weight_row,
  base_kp_row,
  base_kd_row,
  base_weight_row,
  kp_row,
  kd_row,
  weight_row,
  com_kp_row,
  com_kd_row,
  com_weight_row,
  swing_kp_row,
  swing_kd_row,
  swing_weight_row,
  period_row,
  stance_row,
  phase_row,
  start_row,
  step_height_row,
  step_gain_row,
  friction_row
};

inline constexpr std::array whole_body_parameters{
    sdk::frame("feet", "frames of the feet: the centre of a ball, or of a sole with z upwards", 0),
    sdk::real("sole", "m", "length along x and width along y of each sole; default: point feet", 0,
              sdk::no_limit, 0, 0),
    sdk::real("radius", "m", "radius of ball feet", 0, sdk::no_limit, 0),
    sdk::real("mu", "1",
              "friction coefficients to rely on; one value for all feet, or one for each; "
              "default 0.5",
              0, sdk::no_limit, 0.5, 0),
    sdk::integer("sides", "sides of the friction pyramid inside of the cone", 3, 64, 4),
    sdk::real("normal", "1", "normal of the ground in the world; default 0, 0, 1", -sdk::no_limit,
              sdk::no_limit, 0, 0),
    sdk::real("contact_weight", "1", "weight of the accelerations of points in stance", 0,
              sdk::no_limit, 1e4),
    sdk::real("contact_kd", "1/s", "rate at which velocities of points in stance decay", 0,
              sdk::no_limit, 50),
    sdk::real("force_weight", "m^2/(N^2 s^4)", "weight of the contact forces", 1e-12, sdk::no_limit,
              1e-6),
    sdk::real("base_kp", "1/s^2", "proportional gain of joints without a motor", 0, sdk::no_limit,
              100),
    sdk::real("base_kd", "1/s", "derivative gain of joints without a motor", 0, sdk::no_limit, 20),
    sdk::real("base_weight", "1",
              "weights of the degrees of freedom without a motor, one value for all or one for "
              "each; default 10",
              0, sdk::no_limit, 10, 0),
    sdk::real("kp", "1/s^2", "proportional gain of joints with a motor", 0, sdk::no_limit, 100),
    sdk::real("kd", "1/s", "derivative gain of joints with a motor", 0, sdk::no_limit, 20),
    sdk::real("weight", "1", "weight of joints with a motor", 0, sdk::no_limit, 0.01),
    sdk::real("com_kp", "1/s^2", "proportional gain of the centre of mass", 0, sdk::no_limit, 100),
    sdk::real("com_kd", "1/s", "derivative gain of the centre of mass", 0, sdk::no_limit, 20),
    sdk::real("com_weight", "1", "weight of the centre of mass", 0, sdk::no_limit, 0),
    sdk::real("swing_kp", "1/s^2", "proportional gain of feet in the air", 0, sdk::no_limit, 400),
    sdk::real("swing_kd", "1/s", "derivative gain of feet in the air", 0, sdk::no_limit, 40),
    sdk::real("swing_weight", "1", "weight of feet in the air", 0, sdk::no_limit, 10),
    sdk::real("period", "s", "period of the gait; 0: every foot is always in stance", 0,
              sdk::no_limit, 0),
    sdk::real("stance", "1",
              "part of the period in which a foot is in stance; one value for all feet, or one "
              "for each; default 1",
              0, 1, 1, 0),
    sdk::real("phase", "1",
              "part of the period after which the stance of a foot begins; one value for all "
              "feet, or one for each; default 0",
              0, 1, 0, 0),
    sdk::real("start", "s", "time before which no swing begins", -sdk::no_limit, sdk::no_limit, 0),
    sdk::real("step_height", "m", "height of the steps", 0, sdk::no_limit, 0.05),
    sdk::real("step_gain", "s",
              "shift of a step / velocity error of the centre of mass; sqrt(height / gravity) "
              "steps to the capture point",
              0, sdk::no_limit, 0),
    sdk::flag("friction", "compensate the model's friction", true),
};

}  // namespace torsor

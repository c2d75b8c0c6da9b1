#pragma once
// The first statements of scenes that test plugins: the robot `arm` with one revolute joint about
// z, 1 kg m^2, in `world`.

namespace torsor::test {

inline constexpr const char* rod_in_world = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 0, 1} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1, Ixy = 0, Ixz = 0, Iyz = 0 } } }
local world = torsor.world{}
world:add(arm)
)";

}  // namespace torsor::test

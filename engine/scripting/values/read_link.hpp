#pragma once
// arm:link{...}: a link with its joint, its place and its inertia.

#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// The table at an index. Its keys:
//   name, parent    parent: a link's name; without it the robot's base
//   joint           { kind, name =, axis =, point =, pitch =, standard_dh | modified_dh =, armature
//   =, damping =,
//                     limits = { lower =, upper =, velocity =, effort = } }, kind "fixed" having
//                     none but DH
//   origin | home   pose at q = 0 in the parent, with axis and point in the link; or pose, axis and
//   point in
//                   the robot's base (MR's M_i, S_i); neither: at the parent
//   inertia | massless = true
//   visuals         { { box = {x, y, z} | cylinder = { radius =, length = } | sphere = { radius = }
//   |
//                       mesh = FILE, scale = 1 or {x, y, z},
//                       origin =, color = {r, g, b} or {r, g, b, a} }, ... }, what it looks like
LinkDescription read_link(lua_State* L, int index, const std::string& source);

// inertia = { mass =, com | first_moment =, about_com | about_origin = } of one body, in its frame.
SpatialInertia<double> read_inertia(const TableReader& owner);

}  // namespace torsor::lua

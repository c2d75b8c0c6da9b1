#pragma once
// Reads arm:link{...}: a link with its joint, its placement and its inertia.

#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads the table at a stack index. Its keys:
//
//   name, parent    parent is the name of a link; without it, the link is attached to the base
//   joint           { kind, name =, axis =, point =, pitch =, standard_dh | modified_dh =,
//                   armature =, damping =,
//                   limits = { lower =, upper =, velocity =, effort = } };
//                   a joint of kind "fixed" takes only DH parameters
//   origin | home   origin: pose in the parent at q = 0, with axis and point in the link;
//                   home: pose, axis and point in the robot's base (MR's M_i, S_i);
//                   neither: the link frame is at the parent
//   inertia | massless = true
//   visuals         { { box = {x, y, z} | cylinder = { radius =, length = } |
//                       sphere = { radius = } | mesh = FILE, scale = 1 or {x, y, z},
//                       origin =, color = {r, g, b} or {r, g, b, a} }, ... }
LinkDescription read_link(lua_State* L, int index, const std::string& source);

// Reads inertia = { mass =, com | first_moment =, about_com | about_origin = } of one body, in the
// frame of the body.
SpatialInertia<double> read_inertia(const TableReader& owner);

}  // namespace torsor::lua

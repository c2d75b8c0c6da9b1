#pragma once
// Reads arm:link{...}: a link with its joint, pose and inertia.

#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads the table of a link at a stack index. The keys of the table:
//
//   name, parent    parent is the name of a link; without it, the link is attached to the base
//   joint           { kind, name =, axis =, point =, pitch =, standard_dh | modified_dh =,
//                   armature =, damping =,
//                   limits = { lower =, upper =, velocity =, effort = } };
//                   a joint of kind "fixed" may have only a name and DH parameters
//   origin | home   pose of the link at q = 0:
//                   origin: in the parent link; axis and point are in the link frame;
//                   home: in the base of the robot; axis and point are in the base too
//                   (M_i and S_i of MR);
//                   neither: the link frame coincides with the parent frame
//   inertia | massless = true
//                   inertia as in read_inertia(), or { grouped = }, { density = } or
//                   { mass =, from = "visuals" }: the inertia of the solid visuals
//   visuals, collisions
//                   lists of shapes (shapes/read_shapes.hpp)
LinkDescription read_link(lua_State* L, int index, const std::string& source);

// Reads the inertia of one body from the key inertia = { mass =, com | first_moment =, about_com |
// about_origin = }. The values are in the frame of the body.
SpatialInertia<double> read_inertia(const TableReader& owner);

// Reads the table of a closure at a stack index. The keys of the table:
//
//   KIND, name
//   between         { A, B }, two links or frames
//   axis | axes     the axis of both frames, or one axis for each; z by default
//   pitch, length   of a screw, m/rad; of a distance, m
//   armature, damping, limits, drives, motors and the keys of a drive
//                   the joint of the closure; by default, it has no motor
//   joints, offset  of a gear, rack or cable, with ratio, radius or radii; carrier: of a gear
ClosureDescription read_closure(lua_State* L, int index, const std::string& call,
                                const std::string& source);

}  // namespace torsor::lua

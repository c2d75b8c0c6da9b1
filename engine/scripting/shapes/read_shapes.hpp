#pragma once
// Reads the shapes of links and of the world: visuals and collisions.

#include <string>
#include <vector>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Returns the access of a script to meshes: those of its own folder, of packages, and those that
// the user allows. call: the function of the script, for the request to the user.
MeshAccess mesh_access(lua_State* L, const char* call);

// Reads the key visuals of a link:
//   { { SHAPE, origin =, color = {r, g, b} or {r, g, b, a} }, .. }
// SHAPE is one of
//   box = {x, y, z}, cylinder = { radius =, length = }, sphere = { radius = },
//   capsule = { radius =, length = }, cone = { radius =, length = }, ellipsoid = {x, y, z},
//   mesh = FILE, scale = 1 or {x, y, z}
std::vector<VisualDescription> read_visuals(const TableReader& link, const std::string& source);

// Reads the key collisions of a link:
//   { { SHAPE, name =, origin =, group =, mu =, restitution =, torsional =, rolling =,
//       stiffness =, damping = }, .. }
// SHAPE is one of those of visuals, where a mesh is its convex hull, or
//   half_space = outward normal, convex = { {x, y, z}, .. },
//   height_field = { heights = { rows along x, .. }, size = {x, y} }
std::vector<CollisionDescription> read_collisions(const TableReader& link,
                                                  const std::string& source);

// Reads a collision from the table at a stack index. link: the key `link` of the table, or null if
// the table has none.
CollisionDescription read_collision(lua_State* L, int index, const Place& place,
                                    const std::string& source, std::string* link = nullptr);

// Reads { A, B, collide =, mu =, restitution =, torsional =, rolling =, stiffness =, damping = } at
// a stack index.
CollisionPairDescription read_collision_pair(lua_State* L, int index, const char* call,
                                             const std::string& source);

}  // namespace torsor::lua

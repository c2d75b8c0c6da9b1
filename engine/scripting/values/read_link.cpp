#include "torsor/scripting/values/read_link.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/formats/mesh/solid_inertia.hpp"
#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/shapes/read_shapes.hpp"
#include "torsor/scripting/values/read_drive.hpp"

namespace torsor::lua {

namespace {

// Reads an angle from the key NAME (rad) or NAME_deg (degrees). Returns it in rad.
double read_angle(const TableReader& table, const std::string& name) {
  const std::string in_degrees = name + "_deg";
  table.one_of({name.c_str(), in_degrees.c_str()});
  if (table.has(name.c_str())) return table.number(name.c_str());
  return std::numbers::pi / 180 * table.number(in_degrees.c_str());
}

StandardDh read_standard_dh(const TableReader& joint) {
  const TableReader row =
      joint.table("standard_dh", {"a", "alpha", "alpha_deg", "d", "theta", "theta_deg"});
  return {row.number("a"), read_angle(row, "alpha"), row.number("d"), read_angle(row, "theta")};
}

ModifiedDh read_modified_dh(const TableReader& joint) {
  const TableReader row = joint.table("modified_dh", {"alpha", "alpha_deg", "d", "theta",
                                                      "theta_deg", "r", "gamma", "gamma_deg", "b"});
  const bool branches = row.has("gamma") || row.has("gamma_deg");
  return {read_angle(row, "alpha"),
          row.number("d"),
          read_angle(row, "theta"),
          row.number("r"),
          branches ? read_angle(row, "gamma") : 0,
          row.number_or("b", 0)};
}

void reject_beside_dh(const TableReader& link, const TableReader& joint, const char* dh) {
  if (joint.has("standard_dh") && joint.has("modified_dh"))
    joint.fail("has both standard_dh and modified_dh; give one of them");
  for (const char* key : {"axis", "point"})
    if (joint.has(key))
      joint.fail(fmt::format("has both {} and {}; the DH row places the axis already", dh, key));
  for (const char* key : {"origin", "home"})
    if (link.has(key))
      joint.fail(
          fmt::format("has {} and the link has {}; the DH row places the link already", dh, key));
}

ScrewPlacement read_screw(const TableReader& link, const TableReader& joint, bool axis) {
  if (link.has("origin") && link.has("home")) link.one_of({"origin", "home"});
  ScrewPlacement screw;
  screw.at_home = link.has("home");
  if (screw.at_home || link.has("origin"))
    screw.X_PL = read_pose(link, screw.at_home ? "home" : "origin");
  if (axis) screw.axis = joint.vector("axis");
  if (joint.has("point")) screw.point = joint.vector("point");
  return screw;
}

void read_limits(const TableReader& joint, JointDescription& out) {
  const TableReader limits = joint.table("limits", {"lower", "upper", "velocity", "effort"});
  out.lower = limits.limit_or("lower", out.lower);
  out.upper = limits.limit_or("upper", out.upper);
  out.velocity_limit = limits.limit_or("velocity", out.velocity_limit);
  out.effort_limit = limits.limit_or("effort", out.effort_limit);
}

// Not a JointKind: it is modelled as two revolute joints.
constexpr const char* universal = "universal";

JointKind read_kind(const TableReader& joint) {
  const std::string word = joint.positional_text(1);
  if (word == universal) return JointKind::revolute;
  if (const auto kind = joint_kind(word)) return *kind;
  std::vector<std::string> names = joint_kind_names();
  names.emplace_back(universal);
  const std::string list = fmt::format("{}", fmt::join(names, ", ")),
                    near = did_you_mean(word, names);
  joint.fail(fmt::format("has the unknown kind '{}'{}", word,
                         near.empty() ? "; use one of: " + list : near));
}

PerDof read_columns(const TableReader& joint, const char* key) {
  if (!joint.has(key) || !joint.is_list(key)) return joint.number_or(key, 0);
  return joint.numbers(key);
}

// Reads everything of a joint besides its kind and its placement.
void read_options(const TableReader& joint, bool motors_by_default, JointDescription& out) {
  out.armature = read_columns(joint, "armature");
  out.damping = read_columns(joint, "damping");
  if (joint.has("limits")) read_limits(joint, out);
  read_drives(joint, motors_by_default, out);
}

// Throws Error if the table has keys that a joint of this kind does not use.
void reject_beside_kind(const TableReader& joint, JointKind kind) {
  const JointTraits& row = traits(kind);
  const std::string word = joint.positional_text(1);
  if (row.n_v == 0)
    for (const char* key : {"axis", "point", "armature", "damping", "limits", "mimic", "drives",
                            "motors", TORSOR_DRIVE_KEYS})
      if (joint.has(key))
        joint.fail(fmt::format("is fixed and has {}; a fixed joint does not move", key));
  if (!row.user_pitch && joint.has("pitch"))
    joint.fail(fmt::format("is {} and has pitch, which only a helical joint has", word));
  if (word != universal && joint.has("second_axis"))
    joint.fail(fmt::format("is {} and has second_axis, which only a universal joint has", word));
  if (!row.axis && joint.has("axis"))
    joint.fail(fmt::format("is {} and has axis; it moves along the axes of the link", word));
}

JointDescription read_joint(const TableReader& link) {
  const TableReader joint =
      link.table("joint",
                 {"name", "axis", "second_axis", "point", "pitch", "standard_dh", "modified_dh",
                  "armature", "damping", "limits", "mimic", "drives", "motors", TORSOR_DRIVE_KEYS},
                 1);
  JointDescription out;
  out.kind = read_kind(joint);
  const bool moves = out.kind != JointKind::fixed, screws = traits(out.kind).user_pitch;
  reject_beside_kind(joint, out.kind);
  out.name = moves ? joint.text("name") : joint.text_or("name", "");
  if (screws) out.pitch = joint.number("pitch");
  for (const char* dh : {"standard_dh", "modified_dh"})
    if (joint.has(dh)) reject_beside_dh(link, joint, dh);
  if (joint.has("standard_dh"))
    out.placement = read_standard_dh(joint);
  else if (joint.has("modified_dh"))
    out.placement = read_modified_dh(joint);
  else
    out.placement = read_screw(link, joint, traits(out.kind).axis);
  if (joint.positional_text(1) == universal) out.second_axis = joint.vector("second_axis");
  read_options(joint, has_motors_by_default(out.kind, !link.has("parent")), out);
  return out;
}

// Reads the moments of inertia: only { Ixx, Iyy, Izz } in principal axes, or all six matrix
// entries. Ixy is the matrix entry, so it is minus the integral of x y dm.
Sym3<double> read_moments(const TableReader& parent, const char* key) {
  const TableReader I = parent.table(key, {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"});
  Sym3<double> out{I.number("Ixx"), I.number("Iyy"), I.number("Izz"), 0, 0, 0};
  if (!I.has("Ixy") && !I.has("Ixz") && !I.has("Iyz")) return out;
  out.xy = I.number("Ixy");
  out.xz = I.number("Ixz");
  out.yz = I.number("Iyz");
  return out;
}

SpatialInertia<double> read_body(const TableReader& body) {
  const double mass = body.number("mass");
  if (std::string(body.one_of({"about_com", "about_origin"})) == "about_com") {
    if (body.has("first_moment"))
      body.fail("has about_com and first_moment; give about_origin with first_moment");
    return inertia_about_com(mass, body.vector("com"), read_moments(body, "about_com"));
  }
  const Sym3<double> I_O = read_moments(body, "about_origin");
  if (std::string(body.one_of({"com", "first_moment"})) == "com")
    return inertia_about_origin(mass, body.vector("com"), I_O);
  return inertia_from_moments(mass, body.vector("first_moment"), I_O);
}

// Reads { density = } or { mass =, from = "visuals" }: the inertia of the solid shapes of the link.
SpatialInertia<double> read_solid(const TableReader& link, const TableReader& body,
                                  const std::vector<VisualDescription>& shapes) {
  const bool by_density = body.has("density");
  for (const char* key : {"com", "about_com", "about_origin", "first_moment", "grouped"})
    if (body.has(key))
      body.fail(fmt::format("has {} and {}; the visuals determine it already",
                            by_density ? "density" : "from", key));
  body.one_of({"density", "mass"});
  if (body.has("from") && body.text("from") != "visuals")
    body.fail(fmt::format("has from = '{}'; the only value is 'visuals'", body.text("from")));
  if (shapes.empty()) body.fail("is that of the visuals, and the link has none; give it visuals");
  for (const VisualDescription& visual : shapes)
    if (const auto wrong = defect(visual.shape))
      body.fail(fmt::format("cannot be computed: {}", *wrong));
  const char* key = by_density ? "density" : "mass";
  const double amount = body.number(key);
  if (!(amount > 0)) body.fail(fmt::format("has {} = {}; it must be positive", key, amount));
  try {
    return by_density
               ? solid_inertia(shapes, amount, mesh_access(link.state(), "arm:link"))
               : solid_inertia_of_mass(shapes, amount, mesh_access(link.state(), "arm:link"));
  } catch (const Error& error) {
    body.fail(fmt::format("cannot be computed: {}", error.what()));
  }
}

void read_link_inertia(const TableReader& link, LinkDescription& out) {
  if (std::string(link.one_of({"inertia", "massless"})) == "massless") {
    if (!link.flag_or("massless", false))
      link.fail("has massless = false and no inertia; give an inertia or massless = true");
    return;
  }
  const TableReader body = link.table("inertia", {"mass", "com", "about_com", "about_origin",
                                                  "first_moment", "grouped", "density", "from"});
  if (body.has("density") || body.has("from")) {
    out.inertia = read_solid(link, body, out.visuals);
    return;
  }
  out.grouped = body.has("grouped");
  if (!out.grouped) {
    out.inertia = read_body(body);
    return;
  }
  for (const char* key : {"mass", "com", "about_com", "about_origin", "first_moment"})
    if (body.has(key))
      body.fail(fmt::format("has grouped and {}; give nothing else with grouped", key));
  const TableReader grouped = body.table("grouped", {"mass", "first_moment", "about_origin"});
  out.inertia = inertia_from_moments(grouped.number("mass"), grouped.vector("first_moment"),
                                     read_moments(grouped, "about_origin"));
}

// Returns whether the inertia of a link is that of its visuals. link: stack index of the table.
bool has_solid_inertia(lua_State* L, int link) {
  const int top = lua_gettop(L);
  bool out = false;
  lua_pushliteral(L, "inertia");
  if (lua_rawget(L, link) == LUA_TTABLE)
    for (const char* key : {"density", "from"}) {
      lua_pushstring(L, key);
      out = lua_rawget(L, top + 1) != LUA_TNIL || out;
      lua_pop(L, 1);
    }
  lua_settop(L, top);
  return out;
}

}  // namespace

SpatialInertia<double> read_inertia(const TableReader& owner) {
  return read_body(
      owner.table("inertia", {"mass", "com", "about_com", "about_origin", "first_moment"}));
}

LinkDescription read_link(lua_State* L, int index, const std::string& source) {
  TableReader link(L, index, {"arm:link", ""},
                   {"name", "parent", "joint", "origin", "home", "inertia", "massless", "visuals",
                    "collisions"});
  LinkDescription out;
  out.name = link.text("name");
  link.set_owner(fmt::format("link '{}'", out.name));
  out.parent = link.text_or("parent", "");
  if (link.has("parent") && out.parent.empty())
    link.fail("has an empty parent; leave it out for a link at the base");
  out.joint = read_joint(link);
  const bool reads_visuals = Sandbox::of(L).options().visuals || has_solid_inertia(L, index);
  if (reads_visuals && link.has("visuals")) out.visuals = read_visuals(link, source);
  if (link.has("collisions")) out.collisions = read_collisions(link, source);
  read_link_inertia(link, out);
  out.source = source;
  return out;
}

namespace {

Vec3<double> vector_at(lua_State* L, int index, const Place& place) {
  const std::vector<double> numbers = numbers_at(L, index, place, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

// The keys of a closure that is a joint with friction, drives and the like.
#define TORSOR_CUT_JOINT_KEYS "armature", "damping", "limits", "drives", "motors", TORSOR_DRIVE_KEYS

// Throws Error if the table has keys that the kind does not use.
void reject_beside_kind(const TableReader& table, const ClosureTraits& kind) {
  const auto reject = [&](bool used, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (!used && table.has(key))
        table.place().inside(key).fail(
            fmt::format("has no meaning for a {} closure; remove it", kind.name));
  };
  reject(!kind.is_linear(), {"between", "axis", "axes"});
  reject(kind.is_linear(), {"joints", "offset"});
  reject(kind.kind == ClosureKind::gear, {"carrier"});
  reject(kind.kind == ClosureKind::cable, {"radii"});
  reject(kind.joint.has_value(), {TORSOR_CUT_JOINT_KEYS});
  for (const char* key : {"pitch", "length", "ratio", "radius"})
    reject(kind.parameter == key, {key});
}

void read_coupling(const TableReader& table, ClosureDescription& out) {
  out.joints = table.texts("joints");
  if (table.has("radii")) out.radii = table.numbers("radii");
  out.carrier = table.text_or("carrier", "");
  out.offset = table.number_or("offset", 0);
}

void read_frames(const TableReader& table, ClosureDescription& out) {
  lua_State* L = table.state();
  const std::vector<std::string> between = table.texts("between");
  if (between.size() != 2)
    table.place().inside("between").fail(
        fmt::format("has {} names; give two links or frames", between.size()));
  out.frames[0] = between[0], out.frames[1] = between[1];
  if (table.has("axis") && table.has("axes")) table.fail("has axis and axes; give one of them");
  if (table.has("axis")) out.axes[0] = out.axes[1] = table.vector("axis");
  if (!table.has("axes")) return;
  size_t n = 0;
  table.each_entry("axes", "a list of two axes", [&](int entry, const Place& place) {
    if (n == 2) place.fail("is a third axis; give two");
    out.axes[n++] = vector_at(L, entry, place);
  });
  if (n != 2) table.place().inside("axes").fail("needs two axes");
}

// Reads the friction, drives and the like of the joint of a closure, if there are any.
void read_cut_joint(const TableReader& table, ClosureDescription& out) {
  const auto keys = {TORSOR_CUT_JOINT_KEYS};
  if (std::ranges::none_of(keys, [&](const char* key) { return table.has(key); })) return;
  JointDescription& joint = out.joint.emplace();
  joint.kind = *traits(out.kind).joint;
  if (out.kind == ClosureKind::universal) joint.second_axis = {0, 0, 1};
  read_options(table, false, joint);
}

}  // namespace

ClosureDescription read_closure(lua_State* L, int index, const std::string& call,
                                const std::string& source) {
  TableReader table(L, index, {call, ""},
                    {"name", "between", "axis", "axes", "pitch", "length", "joints", "ratio",
                     "radius", "radii", "carrier", "offset", TORSOR_CUT_JOINT_KEYS},
                    1);
  ClosureDescription out;
  out.source = source;
  const std::string word = table.positional_text(1);
  const auto kind = closure_kind(word);
  if (!kind)
    table.fail(fmt::format("there is no kind '{}'{}; the kinds are {}", word,
                           did_you_mean(word, closure_kind_names()),
                           fmt::join(closure_kind_names(), ", ")));
  out.kind = *kind;
  out.name = table.text("name");
  table.set_owner(fmt::format("closure '{}'", out.name));
  const ClosureTraits& row = traits(out.kind);
  reject_beside_kind(table, row);
  if (row.is_linear())
    read_coupling(table, out);
  else
    read_frames(table, out);
  for (const char* key : {"pitch", "length", "ratio", "radius"})
    if (table.has(key)) out.parameter = table.number(key);
  read_cut_joint(table, out);
  return out;
}

}  // namespace torsor::lua

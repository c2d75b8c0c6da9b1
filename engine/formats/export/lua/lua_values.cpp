#include "torsor/formats/export/lua/lua_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/formats/export/numbers.hpp"

namespace torsor::exporting {

namespace {

constexpr size_t columns = 110;

std::string braced(const std::string& inner) {
  return "{" + inner + "}";
}

// Returns the text of an entry on one line.
std::string on_one_line(const LuaEntry& entry) {
  std::string out = entry.key.empty() ? "" : entry.key + " = ";
  if (entry.table.empty()) return out + entry.text;
  out += entry.text + "{ ";
  for (size_t k = 0; k < entry.table.size(); ++k)
    out += (k == 0 ? "" : ", ") + on_one_line(entry.table[k]);
  return out + " }";
}

LuaEntry table_of(const char* key, std::vector<LuaEntry> entries) {
  return {key, "", std::move(entries)};
}

void add_number(std::vector<LuaEntry>& out, const char* key, double value, double standard) {
  if (value != standard) out.push_back({key, lua_number(value)});
}

LuaEntry friction_entry(const Friction& f) {
  using Law = Friction::Law;
  std::vector<LuaEntry> out{{"", lua_quoted(std::string(name(f.law)))},
                            {"coulomb", lua_number(f.coulomb)}};
  if (f.law == Law::stribeck || f.law == Law::lugre || f.breakaway != f.coulomb)
    if (f.law != Law::piecewise_linear) out.push_back({"static", lua_number(f.breakaway)});
  if (f.law == Law::stribeck || f.law == Law::lugre) out.push_back({"decay", lua_number(f.decay)});
  if (f.law == Law::piecewise_linear) out.push_back({"transition", lua_number(f.transition)});
  if (f.law == Law::lugre) {
    out.push_back({"bristle_stiffness", lua_number(f.bristle_stiffness)});
    add_number(out, "bristle_damping", f.bristle_damping, 0);
  }
  add_number(out, "viscous", f.viscous, 0);
  return table_of("friction", std::move(out));
}

bool is_default(const Motor& m) {
  return lua_motor(m, false).size() == 1 && m.rotor_inertia == 0;
}

// motors: whether the dof has a motor if its table states nothing.
std::vector<LuaEntry> drive_entries(const Drive& drive, bool motors) {
  std::vector<LuaEntry> out;
  if (drive.friction.law != Friction::Law::none) out.push_back(friction_entry(drive.friction));
  if (drive.elasticity) {
    std::vector<LuaEntry> elastic{{"stiffness", lua_number(drive.elasticity->stiffness)}};
    add_number(elastic, "cubic", drive.elasticity->cubic, 0);
    add_number(elastic, "damping", drive.elasticity->damping, 0);
    out.push_back(table_of("elastic", std::move(elastic)));
  }
  const bool has_motor = drive.elasticity || !is_default(drive.motor);
  if (has_motor) out.push_back(table_of("motor", lua_motor(drive.motor, false)));
  if (drive.spring.stiffness != 0 || drive.spring.rest != 0) {
    std::vector<LuaEntry> spring{{"stiffness", lua_number(drive.spring.stiffness)}};
    add_number(spring, "rest", drive.spring.rest, 0);
    out.push_back(table_of("spring", std::move(spring)));
  }
  if (drive.stop)
    out.push_back(table_of("stop", {{"restitution", lua_number(drive.stop->restitution)}}));
  if (drive.passive != (!motors && !has_motor))
    out.push_back({"passive", drive.passive ? "true" : "false"});
  return out;
}

void add_drives(std::vector<LuaEntry>& out, const std::vector<Drive>& drives, bool motors) {
  if (drives.empty()) return;
  if (drives.size() == 1) {
    for (LuaEntry& entry : drive_entries(drives[0], motors)) out.push_back(std::move(entry));
    return;
  }
  // Drives that differ only in the presence of motors, all alike, need one word.
  const bool passive = drives[0].passive;
  const bool alike = std::ranges::all_of(drives, [&](const Drive& drive) {
    return drive.passive == passive && drive_entries(drive, !drive.passive).empty();
  });
  if (alike) {
    if (passive == motors) out.push_back({"motors", passive ? "false" : "true"});
    return;
  }
  std::vector<LuaEntry> list;
  for (const Drive& drive : drives) {
    std::vector<LuaEntry> entries = drive_entries(drive, motors);
    list.push_back(entries.empty() ? LuaEntry{"", "{}"} : LuaEntry{"", "", std::move(entries)});
  }
  out.push_back(table_of("drives", std::move(list)));
}

LuaEntry pose_spring_entry(const PoseSpring& spring, const JointTraits& kind) {
  const auto& [angular, linear, rest] = spring;
  const bool one = linear == angular || std::ranges::all_of(kind.dofs, &JointDof::turns);
  std::vector<LuaEntry> out{
      {"stiffness", one ? lua_number(angular) : lua_list(std::vector{angular, linear})}};
  if (!rest.empty()) out.push_back({"rest", lua_list(rest)});
  return table_of("spring", std::move(out));
}

void add_per_dof(std::vector<LuaEntry>& out, const char* key, const PerDof& values) {
  if (values == PerDof(0)) return;
  out.push_back({key, values.each.empty() ? lua_number(values.all) : lua_list(values.each)});
}

}  // namespace

std::string lua_text(const LuaEntry& entry, size_t indent, size_t column) {
  const std::string line = on_one_line(entry);
  if (entry.table.empty() || column + line.size() <= columns) return line;
  std::string out = (entry.key.empty() ? "" : entry.key + " = ") + entry.text + "{";
  size_t at = column + out.size();
  const std::string margin(indent + 2, ' ');
  bool first = true, wrapped = false;
  for (const LuaEntry& each : entry.table) {
    const std::string short_text = on_one_line(each);
    if (at + short_text.size() + 4 > columns && !first) {
      out += ",\n" + margin;
      at = margin.size();
      wrapped = true;
    } else {
      out += first ? " " : ", ";
      at += first ? 1 : 2;
    }
    const std::string text = lua_text(each, indent + 2, at);
    wrapped = wrapped || text.find('\n') != std::string::npos;
    const size_t line_break = text.rfind('\n');
    at = line_break == std::string::npos ? at + text.size() : text.size() - line_break - 1;
    out += text;
    first = false;
  }
  return out + " }";
}

std::string lua_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if ((unsigned char)(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\{:03}", int((unsigned char)(c)));
    else
      out += c;
  }
  return out + "\"";
}

std::string lua_number(double x) {
  if (std::isinf(x)) return x > 0 ? "math.huge" : "-math.huge";
  return number(x);
}
std::string lua_vector(const Vec3<double>& x) {
  return braced(numbers(x, ", "));
}
std::string lua_list(std::span<const double> x) {
  std::string out;
  for (const double each : x) out += (out.empty() ? "" : ", ") + lua_number(each);
  return braced(out);
}
std::string lua_strings(std::span<const std::string> texts) {
  std::string out;
  for (const std::string& each : texts) out += (out.empty() ? "" : ", ") + lua_quoted(each);
  return braced(out);
}

// Angles that are short in degrees are written in degrees: 90 instead of 1.5707963267948966.
LuaEntry lua_pose(const char* key, const Pose<double>& X) {
  std::vector<LuaEntry> out;
  if (!is_zero(X.p)) out.push_back({"xyz", braced(rounded(X.p, ", "))});
  if (!is_identity(X.R)) {
    const Vec3<double> rpy = roll_pitch_yaw(X.R);
    const std::string in_radians = angles(X.R, ", ");
    std::string in_degrees;
    for (const double a : {rpy.x, rpy.y, rpy.z}) {
      const double degrees = a * 180 / std::numbers::pi;
      in_degrees += (in_degrees.empty() ? "" : ", ") + rounded(degrees, 1e-13);
    }
    const bool shorter = in_degrees.size() + 8 < in_radians.size();
    out.push_back({shorter ? "rpy_deg" : "rpy", braced(shorter ? in_degrees : in_radians)});
  }
  return {key, "", std::move(out)};
}

std::string lua_axis(const Vec3<double>& a) {
  if (a.x == 1 && a.y == 0 && a.z == 0) return "x";
  if (a.x == 0 && a.y == 1 && a.z == 0) return "y";
  if (a.x == 0 && a.y == 0 && a.z == 1) return "z";
  return braced(rounded(a, ", "));
}

namespace {

LuaEntry moments(const char* key, const Sym3<double>& I, double error) {
  const std::string xy = rounded(I.xy, error), xz = rounded(I.xz, error), yz = rounded(I.yz, error);
  std::vector<LuaEntry> out{
      {"Ixx", rounded(I.xx, error)}, {"Iyy", rounded(I.yy, error)}, {"Izz", rounded(I.zz, error)}};
  if (xy != "0" || xz != "0" || yz != "0")
    for (const auto& [name, text] : {std::pair{"Ixy", xy}, {"Ixz", xz}, {"Iyz", yz}})
      out.push_back({name, text});
  return table_of(key, std::move(out));
}

}  // namespace

LuaEntry lua_inertia(const LinkDescription& link) {
  const SpatialInertia<double>& M = link.inertia;
  const Sym3<double>& I = M.I;
  if (!link.grouped && M.m == 0 && is_zero(M.h) && is_zero({I.xx, I.yy, I.zz}) &&
      is_zero({I.xy, I.xz, I.yz}))
    return {"massless", "true"};
  if (M.m > 0 && !link.grouped) {
    const auto [mass, com, I_com, error] = about_com(M);
    return table_of("inertia", {{"mass", lua_number(mass)},
                                {"com", braced(rounded(com, ", "))},
                                moments("about_com", I_com, error)});
  }
  std::vector<LuaEntry> out{{"mass", lua_number(M.m)},
                            {"first_moment", lua_vector(M.h)},
                            moments("about_origin", M.I, 0)};
  if (link.grouped) out = {table_of("grouped", std::move(out))};
  return table_of("inertia", std::move(out));
}

std::vector<LuaEntry> lua_motor(const Motor& m, bool of_transmission) {
  std::vector<LuaEntry> out{{"rotor_inertia", lua_number(m.rotor_inertia)}};
  if (!of_transmission) add_number(out, "gear_ratio", m.gear_ratio, 1);
  if (m.friction.law != Friction::Law::none) out.push_back(friction_entry(m.friction));
  add_number(out, "torque_constant", m.torque_constant, 0);
  add_number(out, "amplifier_gain", m.amplifier_gain, 0);
  add_number(out, "resistance", m.resistance, 0);
  add_number(out, "max_input", m.max_input, 0);
  add_number(out, "max_current", m.max_current, 0);
  add_number(out, "max_voltage", m.max_voltage, 0);
  if (of_transmission) return out;
  if (m.body) out.push_back({"body", "true"});
  if (m.clamp) out.push_back({"clamp", "true"});
  add_number(out, "stall_torque", m.stall_torque, 0);
  return out;
}

std::vector<LuaEntry> lua_joint_options(const JointDescription& joint, bool motors_by_default) {
  std::vector<LuaEntry> out;
  add_per_dof(out, "armature", joint.armature);
  add_per_dof(out, "damping", joint.damping);
  std::vector<LuaEntry> limits;
  add_number(limits, "lower", joint.lower, -HUGE_VAL);
  add_number(limits, "upper", joint.upper, HUGE_VAL);
  add_number(limits, "velocity", joint.velocity_limit, HUGE_VAL);
  add_number(limits, "effort", joint.effort_limit, HUGE_VAL);
  if (!limits.empty()) out.push_back(table_of("limits", std::move(limits)));
  if (joint.mimic) {
    std::vector<LuaEntry> mimic{{"joint", lua_quoted(joint.mimic->joint)}};
    add_number(mimic, "ratio", joint.mimic->ratio, 1);
    add_number(mimic, "offset", joint.mimic->offset, 0);
    out.push_back(table_of("mimic", std::move(mimic)));
  }
  if (joint.spring) out.push_back(pose_spring_entry(*joint.spring, torsor::traits(joint.kind)));
  add_drives(out, joint.drives, motors_by_default);
  return out;
}

}  // namespace torsor::exporting

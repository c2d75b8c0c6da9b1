#include "torsor/formats/robot_parameters.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <map>

#include "torsor/base/input_file.hpp"

namespace torsor {

namespace {

double& column(PerDof& values, int dof, int n) {
  if (values.each.empty()) values.each.assign(size_t(n), values.all);
  return values.each[size_t(dof)];
}

// A motor that drives the dof rigidly keeps its gear ratio. Its friction becomes that of the joint.
void set_armature(double armature, JointDescription& joint, Drive& drive, int dof, int n) {
  if (drive.motor.rotor_inertia > 0 && !drive.motor.body && !drive.elasticity) {
    drive.motor.rotor_inertia = armature / (drive.motor.gear_ratio * drive.motor.gear_ratio);
    armature = 0;
  }
  column(joint.armature, dof, n) = armature;
}

void set_friction(const RobotParameters::JointDrive& given, JointDescription& joint, Drive& drive,
                  int n) {
  using Law = Friction::Law;
  for (Friction* friction : {&drive.friction, &drive.motor.friction}) {
    if (friction->law != Law::none && friction->law != Law::coulomb)
      throw Error(
          fmt::format("joint '{}' has the friction law {}, which viscous and Coulomb friction do "
                      "not determine; "
                      "give it the law coulomb",
                      given.joint, name(friction->law)));
    if (given.viscous) friction->viscous = 0;
    if (given.coulomb) *friction = {.viscous = friction->viscous};
  }
  if (given.viscous) column(joint.damping, given.dof, n) = *given.viscous;
  if (given.coulomb && *given.coulomb > 0)
    drive.friction = {.law = Law::coulomb,
                      .viscous = drive.friction.viscous,
                      .coulomb = *given.coulomb,
                      .breakaway = *given.coulomb};
}

// Throws Error if the entry does not fit the joint.
void check_entry(const RobotParameters& parameters, const RobotParameters::JointDrive& given,
                 const JointTraits& kind) {
  if (given.dof < 0 || given.dof >= kind.n_v)
    throw Error(fmt::format("joint '{}' has no dof {}; it is {} and has {} dof", given.joint,
                            given.dof + 1, kind.name, kind.n_v));
  if (!given.armature && !given.viscous && !given.coulomb)
    throw Error(fmt::format("dof {} of joint '{}' has no value; give armature, viscous or coulomb",
                            given.dof + 1, given.joint));
  if (given.armature && !kind.actuated)
    throw Error(fmt::format("joint '{}' is {}, which no motor drives; remove its armature",
                            given.joint, kind.name));
  const auto is_same = [&](const RobotParameters::JointDrive& other) {
    return other.joint == given.joint && other.dof == given.dof;
  };
  if (std::ranges::count_if(parameters.joints, is_same) > 1)
    throw Error(
        fmt::format("dof {} of joint '{}' occurs twice; give it once", given.dof + 1, given.joint));
}

// Creates the drives that the joint has by default, if it has no others.
void make_drives(JointDescription& joint, bool at_base, int n) {
  if (!joint.drives.empty()) return;
  joint.drives.resize(size_t(n));
  for (Drive& drive : joint.drives) drive.passive = !has_motors_by_default(joint.kind, at_base);
}

std::string numbers(const Vec3<double>& x) {
  return fmt::format("{{{}, {}, {}}}", x.x, x.y, x.z);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

tinyxml2::XMLElement* child(tinyxml2::XMLElement& parent, const char* name) {
  tinyxml2::XMLElement* const found = parent.FirstChildElement(name);
  return found ? found : parent.InsertNewChildElement(name);
}

void set(tinyxml2::XMLElement& element, const char* attribute, double value) {
  element.SetAttribute(attribute, fmt::format("{}", value).c_str());
}

// URDF has the inertia about the centre of mass.
void set_inertial(tinyxml2::XMLElement& link, const SpatialInertia<double>& M) {
  tinyxml2::XMLElement& inertial = *child(link, "inertial");
  const Vec3<double> c = M.m > 0 ? (1 / M.m) * M.h : Vec3<double>{0, 0, 0};
  const Sym3<double> I = inertia_about_com(-M.m, c, M.I).I;
  tinyxml2::XMLElement& origin = *child(inertial, "origin");
  origin.SetAttribute("xyz", fmt::format("{} {} {}", c.x, c.y, c.z).c_str());
  origin.SetAttribute("rpy", "0 0 0");
  set(*child(inertial, "mass"), "value", M.m);
  tinyxml2::XMLElement& moments = *child(inertial, "inertia");
  const std::pair<const char*, double> entries[] = {{"ixx", I.xx}, {"ixy", I.xy}, {"ixz", I.xz},
                                                    {"iyy", I.yy}, {"iyz", I.yz}, {"izz", I.zz}};
  for (const auto& [name, value] : entries) set(moments, name, value);
}

std::map<std::string, tinyxml2::XMLElement*> named(tinyxml2::XMLElement& robot, const char* kind) {
  std::map<std::string, tinyxml2::XMLElement*> out;
  for (auto* each = robot.FirstChildElement(kind); each; each = each->NextSiblingElement(kind))
    if (const char* name = each->Attribute("name")) out[name] = each;
  return out;
}

tinyxml2::XMLElement& at(const std::map<std::string, tinyxml2::XMLElement*>& elements,
                         const std::string& name, const char* kind,
                         const std::filesystem::path& file) {
  const auto found = elements.find(name);
  if (found == elements.end())
    throw Error(fmt::format("{}: has no {} '{}'", file.string(), kind, name));
  return *found->second;
}

}  // namespace

void apply(const RobotParameters& parameters, RobotDescription& robot) {
  for (const auto& [name, inertia, source] : parameters.links) {
    const auto link = std::ranges::find(robot.links, name, &LinkDescription::name);
    if (link == robot.links.end())
      throw Error(fmt::format("robot '{}' has no link '{}'", robot.name, name));
    if (std::ranges::count(parameters.links, name, &RobotParameters::LinkInertia::link) > 1)
      throw Error(fmt::format("link '{}' occurs twice; give it once", name));
    link->inertia = inertia;
    link->inertia_source = source;
    link->grouped = false;
  }
  for (const RobotParameters::JointDrive& given : parameters.joints) {
    const auto link = std::ranges::find_if(robot.links, [&](const LinkDescription& each) {
      return each.joint.kind != JointKind::fixed && each.joint.name == given.joint;
    });
    if (link == robot.links.end())
      throw Error(fmt::format("robot '{}' has no moving joint '{}'", robot.name, given.joint));
    JointDescription& joint = link->joint;
    check_entry(parameters, given, traits(joint.kind));
    const int n = traits(joint.kind).n_v;
    make_drives(joint, link->parent.empty(), n);
    Drive& drive = joint.drives[size_t(given.dof)];
    if (given.armature) set_armature(*given.armature, joint, drive, given.dof, n);
    set_friction(given, joint, drive, n);
  }
}

std::string lua_module(const RobotParameters& parameters, const std::string& comment) {
  std::string out = fmt::format("-- {}\nreturn {{\n  links = {{\n", comment);
  for (const auto& [name, M, source] : parameters.links)
    out += fmt::format(
        "    [{}] = {{ mass = {}, first_moment = {},\n"
        "      about_origin = {{ Ixx = {}, Iyy = {}, Izz = {},\n"
        "        Ixy = {}, Ixz = {}, Iyz = {} }} }},\n",
        quoted(name), M.m, numbers(M.h), M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz);
  out += "  },\n  joints = {\n";
  for (const RobotParameters::JointDrive& joint : parameters.joints) {
    out += fmt::format("    {{ joint = {}, dof = {}", quoted(joint.joint), joint.dof + 1);
    const std::pair<const char*, std::optional<double>> values[] = {
        {"armature", joint.armature}, {"viscous", joint.viscous}, {"coulomb", joint.coulomb}};
    for (const auto& [name, value] : values)
      if (value) out += fmt::format(", {} = {}", name, *value);
    out += " },\n";
  }
  return out + "  },\n}\n";
}

std::string urdf_with_parameters(const std::filesystem::path& file,
                                 const RobotParameters& parameters) {
  tinyxml2::XMLDocument xml;
  const std::string text = read_file(file, InputKind::robot, "give a URDF file");
  if (xml.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS || !xml.RootElement())
    throw Error(fmt::format("{}: is not a URDF file", file.string()));
  const auto links = named(*xml.RootElement(), "link"), joints = named(*xml.RootElement(), "joint");
  for (const RobotParameters::LinkInertia& link : parameters.links)
    set_inertial(at(links, link.link, "link", file), link.inertia_L);
  for (const RobotParameters::JointDrive& joint : parameters.joints) {
    if (!joint.viscous && !joint.coulomb) continue;
    tinyxml2::XMLElement& dynamics = *child(at(joints, joint.joint, "joint", file), "dynamics");
    if (joint.viscous) set(dynamics, "damping", *joint.viscous);
    if (joint.coulomb) set(dynamics, "friction", *joint.coulomb);
  }
  tinyxml2::XMLPrinter printer;
  xml.Print(&printer);
  return printer.CStr();
}

}  // namespace torsor

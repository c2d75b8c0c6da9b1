#include "torsor/formats/mjcf/table.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace torsor::mjcf {

using xml::Row, xml::Use;

namespace {

using enum Use;

// Words of one scope, separated by spaces.
struct Words {
  enum Kind : unsigned char { elements, attributes } kind;
  std::string_view parent;
  Use use;
  std::string_view names;
  std::string_view scope = {};
};
constexpr auto elements = Words::elements, attributes = Words::attributes;

// clang-format off
constexpr Words words[] = {
    {elements, "", used, "mujoco"},

    {attributes, "mujoco", used, "model"},
    {elements, "mujoco", used,
     "compiler option default asset contact equality tendon actuator keyframe"},
    {elements, "mujoco", used, "worldbody", "body"},
    {elements, "mujoco", include, "include"},
    {elements, "mujoco", ignored, "size visual statistic custom sensor"},
    {elements, "mujoco", unsupported, "extension deformable"},

    {attributes, "compiler", used,
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath "
     "coordinate angle fitaabb eulerseq meshdir assetdir inertiafromgeom "
     "inertiagrouprange exactmeshinertia fusestatic"},
    {attributes, "compiler", ignored,
     "texturedir discardvisual convexhull usethread alignfree saveinertial"},
    {elements, "compiler", ignored, "lengthrange"},

    {attributes, "option", used, "gravity"},
    {attributes, "option", unsupported, "density viscosity wind"},
    {attributes, "option", ignored,
     "timestep apirate impratio tolerance ls_tolerance noslip_tolerance "
     "mpr_tolerance ccd_tolerance sleep_tolerance magnetic o_margin o_solref "
     "o_solimp o_friction integrator collision cone jacobian solver iterations "
     "ls_iterations noslip_iterations mpr_iterations ccd_iterations "
     "sdf_iterations sdf_initpoints actuatorgroupdisable"},
    {elements, "option", used, "flag"},
    {attributes, "flag", used,
     "gravity constraint equality frictionloss limit contact passive spring "
     "damper clampctrl filterparent actuation"},
    {attributes, "flag", ignored,
     "warmstart refsafe sensor midphase eulerdamp autoreset nativeccd island "
     "multiccd override energy fwdinv invdiscrete sensornoise sleep diagexact"},

    {attributes, "default", used, "class"},
    {elements, "default", used,
     "default mesh material joint geom site general motor position velocity "
     "intvelocity damper cylinder"},
    {elements, "default", ignored, "muscle adhesion dcmotor"},
    {elements, "default", optional, "pair"},
    {elements, "default", ignored, "camera light equality tendon frame"},
    {elements, "default", include, "include"},

    {elements, "asset", used, "mesh material"},
    {elements, "asset", ignored, "texture skin"},
    {elements, "asset", ignored, "hfield"},
    {elements, "asset", used, "model"},
    {elements, "asset", include, "include"},
    {attributes, "mesh", used, "name class file vertex face refpos refquat scale inertia"},
    {attributes, "mesh", ignored,
     "normal texcoord smoothnormal maxhullvert content_type material octree "
     "needsdf user"},
    {attributes, "mesh", unsupported, "builtin params"},
    {elements, "mesh", unsupported, "plugin"},
    {attributes, "material", used, "name class rgba"},
    {attributes, "material", ignored,
     "texture texrepeat texuniform emission specular shininess reflectance "
     "metallic roughness"},
    {elements, "material", ignored, "layer"},

    {attributes, "model", used, "name file"},
    {attributes, "model", ignored, "content_type"},

    {attributes, "body", used, "name childclass pos quat axisangle xyaxes zaxis euler"},
    {attributes, "body", ignored, "user sleep"},
    {attributes, "body", unsupported, "mocap gravcomp"},
    {elements, "body", used, "inertial joint freejoint geom site"},
    {elements, "body", used, "body frame", "body"},
    {elements, "body", used, "replicate"},
    {elements, "body", ignored, "camera light"},
    {elements, "body", used, "attach"},
    {elements, "body", unsupported, "composite flexcomp plugin"},
    {elements, "body", include, "include"},
    {attributes, "replicate", used, "count offset euler sep childclass"},
    {elements, "replicate", used, "inertial joint freejoint geom site replicate"},
    {elements, "replicate", used, "body frame", "body"},
    {elements, "replicate", ignored, "camera light"},
    {elements, "replicate", used, "attach"},
    {elements, "replicate", unsupported, "composite flexcomp plugin"},
    {elements, "replicate", include, "include"},
    {attributes, "attach", used, "model body frame prefix"},
    {attributes, "inertial", used,
     "pos mass diaginertia fullinertia quat axisangle xyaxes zaxis euler"},

    {attributes, "joint", used,
     "name class type pos axis limited range ref springref stiffness damping "
     "frictionloss armature"},
    {attributes, "joint", ignored,
     "group margin solreflimit solimplimit solreffriction solimpfriction user"},
    {attributes, "joint", unsupported, "springdamper actuatorgravcomp"},
    {attributes, "joint", used, "actuatorfrcrange actuatorfrclimited"},
    {attributes, "freejoint", used, "name"},
    {attributes, "freejoint", ignored, "group align"},

    {attributes, "geom", used,
     "name class type size mass density shellinertia fromto mesh fitscale group "
     "rgba material pos quat axisangle xyaxes zaxis euler"},
    {attributes, "geom", optional, "contype conaffinity condim friction priority"},
    {attributes, "geom", ignored,
     "hfield solmix solref solimp margin gap fluidshape fluidcoef user"},
    {elements, "geom", unsupported, "plugin"},
    {attributes, "site", used, "name class fromto pos quat axisangle xyaxes zaxis euler"},
    {attributes, "site", ignored, "type group material size rgba user"},

    {elements, "contact", optional, "pair exclude"},
    {elements, "contact", include, "include"},
    {attributes, "pair", optional, "name class geom1 geom2 condim friction"},
    {attributes, "pair", ignored, "solref solreffriction solimp gap margin"},
    {attributes, "exclude", optional, "body1 body2"},
    {attributes, "exclude", ignored, "name"},

    {elements, "equality", used, "connect weld"},
    {elements, "equality", used, "joint", "equality/joint"},
    {elements, "equality", used, "tendon", "equality/tendon"},
    {elements, "equality", unsupported, "distance flex flexvert flexstrain"},
    {elements, "equality", include, "include"},
    {attributes, "connect", used, "name active body1 body2 anchor site1 site2"},
    {attributes, "connect", ignored, "class solref solimp user"},
    {attributes, "weld", used, "name active body1 body2 relpose anchor site1 site2"},
    {attributes, "weld", ignored, "class solref solimp user torquescale"},
    {attributes, "equality/joint", used, "name active joint1 joint2 polycoef"},
    {attributes, "equality/joint", ignored, "class solref solimp user"},
    {attributes, "equality/tendon", used, "name active tendon1 tendon2 polycoef"},
    {attributes, "equality/tendon", ignored, "class solref solimp user"},

    {elements, "tendon", used, "fixed"},
    {elements, "tendon", unsupported, "spatial"},
    {elements, "tendon", include, "include"},
    {attributes, "fixed", used, "name"},
    {attributes, "fixed", ignored,
     "class group margin solreflimit solimplimit solreffriction solimpfriction "
     "width material rgba user"},
    {attributes, "fixed", unsupported,
     "limited range frictionloss springlength stiffness damping armature "
     "actuatorfrcrange actuatorfrclimited"},
    {elements, "fixed", used, "joint", "fixed/joint"},
    {attributes, "fixed/joint", used, "joint coef"},

    {elements, "actuator", used, "general motor position velocity intvelocity damper cylinder"},
    {elements, "actuator", unsupported, "muscle adhesion plugin dcmotor"},
    {elements, "actuator", include, "include"},
    {attributes, "general", used,
     "name class ctrllimited forcelimited ctrlrange forcerange gear joint "
     "jointinparent tendon site body cranksite"},
    {attributes, "general", ignored,
     "group user lengthrange cranklength slidersite refsite nsample interp delay"},
    {attributes, "motor", used,
     "name class ctrllimited forcelimited ctrlrange forcerange gear joint "
     "jointinparent tendon site body cranksite"},
    {attributes, "motor", ignored,
     "group user lengthrange cranklength slidersite refsite nsample interp delay"},
    {attributes, "position", used,
     "name class ctrllimited forcelimited ctrlrange forcerange gear joint "
     "jointinparent tendon site body cranksite"},
    {attributes, "position", ignored,
     "group user lengthrange cranklength slidersite refsite nsample interp delay"},
    {attributes, "velocity", used,
     "name class ctrllimited forcelimited ctrlrange forcerange gear joint "
     "jointinparent tendon site body cranksite"},
    {attributes, "velocity", ignored,
     "group user lengthrange cranklength slidersite refsite nsample interp delay"},
    {attributes, "intvelocity", used,
     "name class ctrllimited forcelimited ctrlrange forcerange gear joint "
     "jointinparent tendon site body cranksite"},
    {attributes, "intvelocity", ignored,
     "group user lengthrange cranklength slidersite refsite nsample interp delay"},
    {attributes, "damper", used,
     "name class ctrllimited forcelimited ctrlrange forcerange gear joint "
     "jointinparent tendon site body cranksite"},
    {attributes, "damper", ignored,
     "group user lengthrange cranklength slidersite refsite nsample interp delay"},
    {attributes, "cylinder", used,
     "name class ctrllimited forcelimited ctrlrange forcerange gear joint "
     "jointinparent tendon site body cranksite"},
    {attributes, "cylinder", ignored,
     "group user lengthrange cranklength slidersite refsite nsample interp delay"},
    {attributes, "general", used, "dyntype gaintype biastype gainprm biasprm"},
    {attributes, "general", ignored, "dynprm actlimited actrange actdim actearly"},
    {attributes, "position", used, "kp kv inheritrange"},
    {attributes, "position", unsupported, "dampratio timeconst"},
    {attributes, "velocity", used, "kv"},
    {attributes, "intvelocity", used, "kp kv actrange inheritrange"},
    {attributes, "intvelocity", unsupported, "dampratio"},
    {attributes, "damper", used, "kv"},
    {attributes, "cylinder", used, "area diameter bias"},
    {attributes, "cylinder", ignored, "timeconst"},

    {elements, "keyframe", used, "key"},
    {elements, "keyframe", include, "include"},
    {attributes, "key", used, "name qpos qvel ctrl"},
    {attributes, "key", ignored, "time act mpos mquat"},
};
// clang-format on

// Returns the name of an attribute with '@'. The result lives until the end of the process.
std::string_view with_mark(std::string_view name) {
  static std::deque<std::string> names;
  return names.emplace_back("@" + std::string(name));
}

std::vector<Row> rows_of_words() {
  std::vector<Row> out;
  for (const auto& [kind, parent, use, names, scope] : words)
    for (std::string_view rest = names; !rest.empty();) {
      const size_t end = std::min(rest.find(' '), rest.size());
      const std::string_view name = rest.substr(0, end);
      out.push_back({parent, kind == attributes ? with_mark(name) : name, use, "", true, scope});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  return out;
}

constexpr xml::OtherRoot others[] = {
    {"robot", "that is URDF: give the file the extension .urdf"},
    {"sdf", "that is SDF: give the file the extension .sdf"},
    {"mujocoinclude", "give the MJCF file that includes it, whose first element is <mujoco>"},
};

}  // namespace

const xml::FileType& robot_file_type() {
  static const std::vector<Row> rows = rows_of_words();
  static const xml::FileType type{"MJCF file", "mujoco", rows, others};
  return type;
}

}  // namespace torsor::mjcf

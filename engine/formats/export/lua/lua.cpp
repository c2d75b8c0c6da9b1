#include "torsor/formats/export/lua/lua.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "torsor/base/text.hpp"
#include "torsor/formats/export/lua/lua_names.hpp"
#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor::exporting {

namespace {

bool moves(const LinkDescription& link) {
  return link.joint.kind != JointKind::fixed;
}

// Returns the links in an order in which the moving joints are in the order of their dof.
std::vector<const LinkDescription*> ordered_links(const RobotDescription& robot) {
  std::vector<const LinkDescription*> out;
  std::vector<std::string> in_file;
  for (const LinkDescription& link : robot.links) {
    out.push_back(&link);
    if (moves(link)) in_file.push_back(link.joint.name);
  }
  const std::vector<std::string> order = dof_order(robot);
  if (in_file == order) return out;
  std::unordered_map<std::string, size_t> rank;
  for (size_t k = 0; k < order.size(); ++k) rank.emplace(order[k], k + 1);
  // A fixed link follows the moving link that carries it.
  std::unordered_map<const LinkDescription*, size_t> at;
  std::unordered_map<std::string, size_t> of_link{{"", 0}};
  const std::vector<const LinkDescription*> tree = depth_first(robot);
  for (const LinkDescription* link : tree) {
    const size_t own = moves(*link) ? rank.at(link->joint.name) : of_link.at(link->parent);
    of_link[link->name] = at[link] = own;
  }
  out = tree;
  std::ranges::stable_sort(out, {}, [&](const LinkDescription* link) { return at.at(link); });
  return out;
}

LuaEntry kind_entry(const std::string& kind) {
  return {"", lua_quoted(kind)};
}

class LuaWriter {
 public:
  LuaWriter(const RobotDescription& robot, const Target& target)
      : robot_(robot), target_(target), ledger_(robot), names_(robot, target) {}

  Written run() {
    std::string calls;
    const std::vector<const LinkDescription*> links = ordered_links(robot_);
    for (const LinkDescription* link : links) calls += link_call(link_entries(*link));
    for (const FrameDescription& frame : robot_.frames)
      calls += call("frame", {{"name", lua_quoted(frame.name)},
                              {"link", lua_quoted(frame.link)},
                              lua_pose("origin", frame.X_LF)});
    for (const ClosureDescription& closure : robot_.closures) calls += closure_calls(closure);
    for (const TransmissionDescription& each : robot_.transmissions)
      calls += transmission_call(each);
    for (const StiffnessDescription& each : robot_.stiffnesses) calls += stiffness_call(each);
    for (const CollisionPairDescription& pair : robot_.collision_pairs)
      calls += call("collision_pair", pair_entries(pair));
    state_the_rest();
    Written out;
    out.losses = ledger_.losses();
    std::string text = header(out.losses) + "local torsor = require \"torsor\"\n" +
                       names_.definitions(calls) + build_function(calls);
    out.files.push_back({target_.file.filename(), std::move(text)});
    return out;
  }

 private:
  static std::string call(const char* method, std::vector<LuaEntry> entries) {
    // Entries without text stand for values that are left out.
    std::erase_if(entries, [](const LuaEntry& entry) {
      return !entry.key.empty() && entry.text.empty() && entry.table.empty();
    });
    const LuaEntry table{"", fmt::format("robot:{}", method), std::move(entries)};
    return "  " + lua_text(table, 2, 2) + "\n";
  }

  // Returns the call of a link: its name, parent and pose in a line, then each part in a line.
  static std::string link_call(std::vector<LuaEntry> entries) {
    std::string out = "  robot:link{";
    bool parts = false;
    for (const LuaEntry& entry : entries) {
      if (!entry.key.empty() && entry.text.empty() && entry.table.empty()) continue;
      parts = parts || entry.key == "joint";
      const std::string text = lua_text(entry, 4, 4);
      out += (parts || out.back() == '{' ? "\n    " : " ") + text + ",";
    }
    return out + "\n  }\n";
  }

  std::string name() {
    const std::string out = replaced(robot_.name, ".", "_");
    if (out == robot_.name && !out.empty()) return out;
    ledger_.note("name of the robot", robot_subject(robot_),
                 fmt::format("written as '{}': names of robots in Lua have no dots", out));
    return out.empty() ? "robot" : out;
  }

  std::string header(std::vector<Loss> losses) const {
    losses.insert(losses.begin(), target_.losses.begin(), target_.losses.end());
    std::string out;
    const size_t moving = size_t(std::ranges::count_if(robot_.links, moves));
    out += fmt::format("-- {}.\n-- {}, {}.\n", one_line(target_.origin),
                       counted(robot_.links.size(), "link"), counted(moving, "moving joint"));
    if (losses.empty()) return out;
    out += "--\n-- Differences from the source:\n";
    const std::string report = report_of(losses, 8);
    for (size_t at = 0; at < report.size();) {
      const size_t end = report.find('\n', at);
      out += "--   " + without_controls(report.substr(at, end - at)) + "\n";
      at = end + 1;
    }
    return out;
  }

  std::string build_function(const std::string& calls) {
    std::string robot = "name = o.name";
    if (allows_nonphysical_) robot += ", allow_nonphysical = true";
    if (robot_.com_frames) robot += ", com_frames = true";
    if (!robot_.family.empty()) robot += ", family = " + lua_quoted(robot_.family);
    return fmt::format(
        "\n-- Returns the robot. Options:\n--   name   of the robot\nlocal function "
        "build(options)\n"
        "  local o = torsor.options(options, {{ name = {} }})\n"
        "  local robot = torsor.robot{{ {} }}\n{}  return robot\nend\n\nreturn {{ build = build "
        "}}\n",
        lua_quoted(name_), robot, calls);
  }

  std::vector<LuaEntry> link_entries(const LinkDescription& link) {
    std::vector<LuaEntry> out{{"name", lua_quoted(link.name)}};
    if (!link.parent.empty()) out.push_back({"parent", lua_quoted(link.parent)});
    if (const auto* screw = std::get_if<ScrewPlacement>(&link.joint.placement)) {
      out.push_back(lua_pose(screw->at_home ? "home" : "origin", screw->X_PL));
      // A pose at home must be stated, because its absence means a pose in the parent.
      if (screw->at_home && out.back().table.empty()) out.back().text = "{}";
    }
    out.push_back(joint_entry(link));
    out.push_back(lua_inertia(link));
    LuaEntry visuals{"visuals"}, collisions{"collisions"};
    for (size_t k = 0; k < link.visuals.size(); ++k)
      visuals.table.push_back(names_.visual(link.visuals[k]));
    for (const CollisionDescription& each : link.collisions)
      collisions.table.push_back(collision_entry(each));
    out.push_back(std::move(visuals));
    out.push_back(std::move(collisions));
    return out;
  }

  LuaEntry joint_entry(const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const JointTraits& kind = torsor::traits(joint.kind);
    std::vector<LuaEntry> out{kind_entry(joint.second_axis ? "universal" : std::string(kind.name))};
    if (!joint.name.empty()) out.push_back({"name", lua_quoted(joint.name)});
    add_placement(joint, kind, out);
    if (kind.user_pitch) out.push_back({"pitch", lua_number(joint.pitch)});
    if (kind.n_v > 0)
      for (LuaEntry& entry :
           lua_joint_options(joint, has_motors_by_default(joint.kind, link.parent.empty())))
        out.push_back(std::move(entry));
    return names_.joint(std::move(out));
  }

  static void add_placement(const JointDescription& joint, const JointTraits& kind,
                            std::vector<LuaEntry>& out) {
    if (const auto* screw = std::get_if<ScrewPlacement>(&joint.placement)) {
      if (kind.axis && kind.n_v > 0) out.push_back({"axis", lua_axis(screw->axis)});
      if (joint.second_axis) out.push_back({"second_axis", lua_axis(*joint.second_axis)});
      if (kind.n_v > 0 && !is_zero(screw->point))
        out.push_back({"point", "{" + rounded(screw->point, ", ") + "}"});
    } else if (const auto* row = std::get_if<StandardDh>(&joint.placement)) {
      out.push_back({"standard_dh",
                     "",
                     {{"a", number(row->a)},
                      {"alpha", number(row->alpha)},
                      {"d", number(row->d)},
                      {"theta", number(row->theta)}}});
    } else if (const auto* dh = std::get_if<ModifiedDh>(&joint.placement)) {
      LuaEntry entry{"modified_dh",
                     "",
                     {{"alpha", number(dh->alpha)},
                      {"d", number(dh->d)},
                      {"theta", number(dh->theta)},
                      {"r", number(dh->r)}}};
      if (dh->gamma != 0) entry.table.push_back({"gamma", number(dh->gamma)});
      if (dh->b != 0) entry.table.push_back({"b", number(dh->b)});
      out.push_back(std::move(entry));
    }
  }

  static LuaEntry collision_entry(const CollisionDescription& collision) {
    std::vector<LuaEntry> out{lua_collision_shape(collision.shape)};
    if (!collision.name.empty()) out.push_back({"name", lua_quoted(collision.name)});
    if (LuaEntry origin = lua_pose("origin", collision.X_LC); !origin.table.empty())
      out.push_back(std::move(origin));
    if (!collision.group.empty()) out.push_back({"group", lua_quoted(collision.group)});
    const ContactMaterial standard;
    const ContactMaterial& m = collision.material;
    for (const auto& [key, value, usual] : {std::tuple{"mu", m.mu, standard.mu},
                                            {"restitution", m.restitution, 0.0},
                                            {"torsional", m.torsional, 0.0},
                                            {"rolling", m.rolling, 0.0},
                                            {"stiffness", m.stiffness, 0.0},
                                            {"damping", m.damping, 0.0}})
      if (value != usual) out.push_back({key, lua_number(value)});
    return {"", "", std::move(out)};
  }

  static std::vector<LuaEntry> pair_entries(const CollisionPairDescription& pair) {
    std::vector<LuaEntry> out{{"", lua_quoted(pair.names[0])}, {"", lua_quoted(pair.names[1])}};
    if (pair.collide) out.push_back({"collide", *pair.collide ? "true" : "false"});
    for (const auto& [key, value] : {std::pair{"mu", pair.mu},
                                     {"restitution", pair.restitution},
                                     {"torsional", pair.torsional},
                                     {"rolling", pair.rolling},
                                     {"stiffness", pair.stiffness},
                                     {"damping", pair.damping}})
      if (value) out.push_back({key, lua_number(*value)});
    return out;
  }

  // Returns the frame of a closure. Writes a frame for it first if it has a pose in the named one.
  std::string closure_frame(const ClosureDescription& closure, size_t side, std::string& calls) {
    const std::string& named = closure.frames[side];
    Pose<double> X = closure.origins[side];
    if (is_identity(X)) return named;
    const std::string name =
        taken_.unused(fmt::format("{}_{}", closure.name, side == 0 ? "a" : "b"));
    ledger_.note("frame", fmt::format("'{}'", name), "added at a side of a closure");
    if (named == "world") {
      calls += call("link", {{"name", lua_quoted(name)},
                             {"massless", "true"},
                             lua_pose("origin", X),
                             {"joint", "{ \"fixed\" }"}});
      return name;
    }
    std::string link = named;
    const auto frame = std::ranges::find(robot_.frames, named, &FrameDescription::name);
    if (frame != robot_.frames.end()) {
      link = frame->link;
      X = frame->X_LF * X;
    } else if (const auto own = std::ranges::find(robot_.links, named, &LinkDescription::name);
               robot_.com_frames && own != robot_.links.end() && own->inertia.m > 0) {
      X = translation((1 / own->inertia.m) * own->inertia.h) * X;
    }
    calls += call("frame",
                  {{"name", lua_quoted(name)}, {"link", lua_quoted(link)}, lua_pose("origin", X)});
    return name;
  }

  std::string closure_calls(const ClosureDescription& closure) {
    std::string calls;
    const ClosureTraits& kind = torsor::traits(closure.kind);
    std::vector<LuaEntry> out{kind_entry(std::string(kind.name)),
                              {"name", lua_quoted(closure.name)}};
    if (kind.is_linear()) {
      out.push_back({"joints", lua_strings(closure.joints)});
      if (!closure.radii.empty()) out.push_back({"radii", lua_list(closure.radii)});
      if (!closure.carrier.empty()) out.push_back({"carrier", lua_quoted(closure.carrier)});
      if (closure.offset != 0) out.push_back({"offset", lua_number(closure.offset)});
    } else {
      const std::string between[2] = {closure_frame(closure, 0, calls),
                                      closure_frame(closure, 1, calls)};
      out.push_back({"between", lua_strings(between)});
      const std::string a = lua_axis(closure.axes[0]), b = lua_axis(closure.axes[1]);
      if (a != b)
        out.push_back({"axes", "{" + a + ", " + b + "}"});
      else if (a != "z")
        out.push_back({"axis", a});
    }
    if (closure.parameter)
      out.push_back({std::string(kind.parameter), lua_number(*closure.parameter)});
    if (closure.joint)
      for (LuaEntry& entry : lua_joint_options(*closure.joint, false))
        out.push_back(std::move(entry));
    return calls + call("close", std::move(out));
  }

  static LuaEntry jacobian_entry(const JacobianEntry& entry,
                                 const std::vector<std::string>& joints) {
    if (entry.x.empty() && entry.coefficients.size() == 1)
      return {"", lua_number(entry.coefficients[0])};
    std::vector<LuaEntry> out{{"of", lua_quoted(joints[entry.of])}};
    if (entry.x.empty()) {
      out.push_back({"coefficients", lua_list(entry.coefficients)});
    } else {
      out.push_back({"q", lua_list(entry.x)});
      out.push_back({"values", lua_list(entry.values)});
    }
    return {"", "", std::move(out)};
  }

  std::string transmission_call(const TransmissionDescription& each) {
    LuaEntry jacobian{"jacobian"}, motors{"motors"};
    if (each.law) {
      if (entries_of(*each.law).empty()) return "";
      for (const std::vector<JacobianEntry>& row : entries_of(*each.law)) {
        LuaEntry list;
        for (const JacobianEntry& entry : row)
          list.table.push_back(jacobian_entry(entry, each.joints));
        jacobian.table.push_back(std::move(list));
      }
      ledger_.written(Feature::transmission_law,
                      transmission_subject(robot_, size_t(&each - robot_.transmissions.data())));
    } else {
      for (const std::vector<double>& row : each.jacobian)
        jacobian.table.push_back({"", lua_list(row)});
    }
    for (const Motor& motor : each.motors) motors.table.push_back({"", "", lua_motor(motor, true)});
    return call("transmission", {{"joints", lua_strings(each.joints)}, jacobian, motors});
  }

  static std::string stiffness_call(const StiffnessDescription& each) {
    LuaEntry matrix{"matrix"};
    for (const std::vector<double>& row : each.matrix) matrix.table.push_back({"", lua_list(row)});
    std::vector<LuaEntry> out{{"joints", lua_strings(each.joints)}, matrix};
    if (!each.damping.empty()) out.push_back({"damping", lua_list(each.damping)});
    return call("stiffness", std::move(out));
  }

  void state_the_rest() {
    ledger_.lost({Feature::transmission_law},
                 "it is a function of a script; copy it from the script");
    ledger_.lost({Feature::shapes_left_out}, "the reader has not read them");
    ledger_.lost({Feature::elastic_drive}, "only the builder makes it");
    ledger_.lost({Feature::actuator, Feature::named_state}, "a scene has controls and states");
    ledger_.lost({Feature::gravity}, "it is a property of the world");
    for (const FeatureTraits& each : all_features()) ledger_.written({each.feature});
    allows_nonphysical_ = robot_.nonphysical == Nonphysical::allow;
    if (robot_.nonphysical == Nonphysical::warn)
      for (const LinkDescription& link : robot_.links)
        if (!link.grouped && physical_defect(link.inertia)) {
          allows_nonphysical_ = true;
          ledger_.note("inertia that no rigid body has", link_subject(link),
                       "written as it is, with allow_nonphysical = true, which gives no warning");
        }
    name_ = name();
  }

  const RobotDescription& robot_;
  const Target& target_;
  NameSet taken_{robot_};
  Ledger ledger_;
  LuaNames names_;
  bool allows_nonphysical_ = false;
  std::string name_;
};

}  // namespace

Written write_lua(const RobotDescription& robot, const Target& target) {
  return LuaWriter(robot, target).run();
}

}  // namespace torsor::exporting

#include "torsor/formats/mjcf/tree/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/mjcf/shapes/body_inertia.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::mjcf {

namespace {

// The groups of geoms that MuJoCo draws by default. Shapes for collision are often in group 3.
constexpr int last_drawn_group = 2;

// The place of an element in a body: the pose of the <frame> around it, the class of elements
// without one, and the suffix of the copy that it is in.
struct Scope {
  Pose<double> X_BF = Pose<double>::identity();
  std::string childclass = "", suffix = "";
};
struct Child {
  const XMLElement* xml;
  Scope scope;
};
struct JointXml {
  Values values;
  Scope scope;
};

// A body while it is read. The world is the first body.
struct Body {
  std::string name, link;  // link: "" for the world
  Pose<double> X_WB;
  std::vector<JointXml> joints;
  std::vector<Geom> geoms;
  std::vector<std::pair<std::string, Pose<double>>> sites;
  std::optional<Values> inertial;
  std::vector<Child> children;
  int joint = -1, parent_joint = -1;  // as in TreeBody
};

// Returns q of a free joint at a pose in the world.
std::vector<double> free_position(const Pose<double>& X_WB) {
  const Quaternion r = quaternion(X_WB.R);
  return {X_WB.p.x, X_WB.p.y, X_WB.p.z, r.w, r.x, r.y, r.z};
}

class TreeReader {
 public:
  TreeReader(Files& files, GeomContext& geoms, const Flags& flags, const RobotFileOptions& options,
             RobotDescription& robot)
      : files_(files),
        context_(geoms),
        joints_{files, geoms.compilers, flags, options.base_motors},
        robot_(robot),
        names_(files, geoms.compilers),
        collides_(options.collisions && flags.contact) {
    for (const XMLElement* xml : files.all("contact", "pair"))
      for (const char* attribute : {"geom1", "geom2"})
        if (const char* name = xml->Attribute(attribute)) paired_.insert(name);
  }

  Tree run() {
    Body world;
    world.name = "world";
    world.X_WB = Pose<double>::identity();
    for (const XMLElement* xml : files_.children(files_.root(), "worldbody"))
      collect(*xml, world, {.childclass = class_of(*xml, "")});
    if (!world.joints.empty())
      world.joints[0].values.own().fail("the world cannot move; put the joint into a <body>");
    if (!world.geoms.empty() || !world.sites.empty()) add_world(world);
    tree_.bodies.emplace("world", TreeBody{"", world.X_WB, -1, -1});
    for (const Child& child : world.children) read_body(child, world);
    warn_of_legacy_masses();
    warn_of_missing_bodies();
    tree_.copies = std::move(names_.copies);
    return std::move(tree_);
  }

 private:
  const Compiler& compiler(const XMLElement& xml) const { return context_.compilers.of(xml); }

  // Returns the class of the elements in a body or frame.
  std::string class_of(const XMLElement& xml, const std::string& outer) const {
    const char* given = xml.Attribute("childclass");
    if (!given || !*given) return outer;
    context_.classes.need(files_.element(xml, owner_of(xml)), "childclass");
    return given;
  }

  // Collects the elements of a body.
  void collect(const XMLElement& parent, Body& body, const Scope& scope) {
    for (const XMLElement* xml : files_.children(parent)) collect_element(*xml, body, scope);
  }

  void collect_element(const XMLElement& xml, Body& body, const Scope& scope) {
    const std::string_view kind = xml.Name();
    if (kind == "body") {
      body.children.push_back({&xml, scope});
    } else if (kind == "frame") {
      const Values values(files_.element(xml, "<frame>"));
      collect(xml, body,
              {scope.X_BF * read_pose(values, compiler(xml)), class_of(xml, scope.childclass),
               scope.suffix});
    } else if (kind == "replicate") {
      for (const auto& [suffix, X] : read_replicas(files_, xml, compiler(xml)))
        collect(xml, body,
                {scope.X_BF * X, class_of(xml, scope.childclass), suffix + scope.suffix});
    } else if (kind == "joint" || kind == "freejoint") {
      body.joints.push_back(
          {Values(files_, context_.classes, xml, scope.childclass, owner_of(xml)), scope});
    } else if (kind == "geom") {
      collect_geom(xml, body, scope);
    } else if (kind == "site") {
      collect_site(xml, body, scope);
    } else if (const auto* attached = files_.attached(xml)) {
      for (const auto& [element, childclass, suffix] : *attached)
        collect_element(*element, body, {scope.X_BF, childclass, suffix + scope.suffix});
    } else if (kind == "composite" || kind == "flexcomp" || kind == "attach") {
      missing_.push_back(fmt::format("{}: <{}>", files_.place(xml), kind));
    } else if (kind == "inertial") {
      body.inertial.emplace(files_.element(xml, fmt::format("body '{}'", body.name)));
    }
  }

  void collect_geom(const XMLElement& xml, Body& body, const Scope& scope) {
    Geom& geom = body.geoms.emplace_back(read_geom(context_, xml, scope.childclass, owner_of(xml)));
    geom.is_paired = paired_.contains(geom.name);
    geom.name = name_of(xml, scope.suffix);
    geom.is_paired = !geom.name.empty() && (geom.is_paired || paired_.contains(geom.name));
    geom.X_BG = scope.X_BF * geom.X_BG;
  }

  void collect_site(const XMLElement& xml, Body& body, const Scope& scope) {
    const std::string name = name_of(xml, scope.suffix);
    if (name.empty()) {
      files_.note(UnusedWord::Kind::ignored, xml, "<site> without a name");
      return;
    }
    const Values values(files_, context_.classes, xml, scope.childclass, owner_of(xml));
    Pose<double> X_FS = read_pose(values, compiler(xml));
    if (const auto p = values.numbers<6>("fromto")) {
      const Vec3<double> a{(*p)[0], (*p)[1], (*p)[2]}, b{(*p)[3], (*p)[4], (*p)[5]};
      if (!(norm(a - b) > 1e-14)) values.own().fail("both points of fromto are the same", "fromto");
      X_FS = {smallest_rotation_z_to(a - b), 0.5 * (a + b)};
    }
    body.sites.emplace_back(name, scope.X_BF * X_FS);
  }

  void add_world(Body& world) {
    LinkDescription link;
    link.name = world.link = tree_.world_link = names_.unique("worldbody");
    link.source = files_.place(files_.root());
    add_shapes(world, link);
    robot_.links.push_back(std::move(link));
    add_sites(world);
    world.link.clear();
  }

  void read_body(const Child& child, const Body& parent) {
    Body body;
    const auto& [X_PF, childclass, suffix] = child.scope;
    body.name = name_of(*child.xml, suffix);
    body.link = names_.next_body(*child.xml, suffix);
    if (body.name.empty()) body.name = body.link;
    const std::string owner = fmt::format("body '{}'", xml::readable(body.name));
    const Compiler& settings = compiler(*child.xml);
    const Pose<double> given = read_pose(Values(files_.element(*child.xml, owner)), settings);
    body.X_WB = settings.global ? given : parent.X_WB * X_PF * given;
    const Pose<double> X_PB = inverse(parent.X_WB) * body.X_WB;
    const Pose<double> X_BF = settings.global ? inverse(body.X_WB) : Pose<double>::identity();
    collect(*child.xml, body, {X_BF, class_of(*child.xml, childclass), suffix});
    LinkDescription link;
    link.name = body.link;
    link.source = files_.place(*child.xml);
    link.inertia =
        body_inertia(settings, body.inertial ? &*body.inertial : nullptr, X_BF, body.geoms);
    link.inertia_source = body.inertial ? body.inertial->own().place() : link.source;
    if (!body.inertial || settings.inertia_from_geom == InertiaFromGeom::always)
      for (const Geom& geom : body.geoms)
        if (has_legacy_mass(geom)) legacy_masses_.push_back(geom.source);
    add_shapes(body, link);
    add_joints(body, parent.link, settings.global ? X_PB : X_PF * given, std::move(link));
    const bool moves = !body.joints.empty();
    body.joint = moves ? int(tree_.joints.size()) - 1 : parent.joint;
    body.parent_joint = moves ? parent.joint : parent.parent_joint;
    tree_.bodies.emplace(body.name, TreeBody{body.link, body.X_WB, body.joint, body.parent_joint});
    add_sites(body);
    for (const Child& next : body.children) read_body(next, body);
  }

  void warn_of_legacy_masses() {
    if (legacy_masses_.empty()) return;
    robot_.warnings.push_back(fmt::format(
        "{}: the mass of {} geom{} follows from the density of a mesh by the rule of MuJoCo 2.2, "
        "which takes the volume of the box with the same inertia; set exactmeshinertia=\"true\" of "
        "<compiler> for that of the mesh, or give masses",
        legacy_masses_.front(), legacy_masses_.size(), legacy_masses_.size() == 1 ? "" : "s"));
  }

  void warn_of_missing_bodies() {
    if (missing_.empty()) return;
    const size_t others = missing_.size() - 1;
    robot_.warnings.push_back(fmt::format(
        "{}{} would add bodies and joints, which are not read, so the robot lacks their masses; "
        "write them as <body>, or in a <replicate>",
        missing_.front(),
        others > 0 ? fmt::format(" and {}", counted(others, "other element")) : ""));
  }

  // Adds the link of a body, after links without mass for all its joints but the last.
  void add_joints(Body& body, const std::string& parent, const Pose<double>& X_PB,
                  LinkDescription link) {
    link.parent = parent;
    link.joint.placement = ScrewPlacement{.X_PL = X_PB};
    for (size_t k = 0; k < body.joints.size(); ++k) {
      const auto& [values, scope] = body.joints[k];
      JointElement element = read_joint(joints_, values, scope.X_BF);
      JointDescription& joint = element.joint;
      joint.name = names_.next_joint(values.own().xml(), scope.suffix);
      if (element.type == JointType::free) {
        if (!parent.empty() || body.joints.size() > 1)
          values.own().fail("a free joint must be the only joint of a body in <worldbody>");
        if (joint.spring) joint.spring->rest = free_position(body.X_WB);
      } else if (k == 0) {
        auto& screw = std::get<ScrewPlacement>(joint.placement);
        screw.X_PL = X_PB * screw.X_PL;
      }
      const bool last = k + 1 == body.joints.size();
      LinkDescription between;
      between.name = last ? "" : names_.unique(fmt::format("{}_{}", body.link, joint.name));
      between.source = link.source;
      LinkDescription& moving = last ? link : between;
      moving.parent = link.parent;
      add_joint_record(element, values.own().xml(), body);
      moving.joint = std::move(joint);
      if (last) break;
      link.parent = between.name;
      robot_.links.push_back(std::move(between));
    }
    robot_.links.push_back(std::move(link));
  }

  void add_joint_record(const JointElement& element, const XMLElement& xml, const Body& body) {
    const JointDescription& joint = element.joint;
    const JointTraits& kind = traits(joint.kind);
    robot_.dof_order.push_back(joint.name);
    tree_.joint_index.emplace(joint.name, tree_.joints.size());
    tree_.joints.push_back({&xml, joint.name, body.name, element.type, robot_.links.size(),
                            element.ref, tree_.n_q, tree_.n_v});
    tree_.n_q += size_t(kind.n_q);
    tree_.n_v += size_t(kind.n_v);
    if (element.type == JointType::free) {
      const std::vector<double> q = free_position(body.X_WB);
      tree_.q0.insert(tree_.q0.end(), q.begin(), q.end());
    } else if (element.type == JointType::ball) {
      tree_.q0.insert(tree_.q0.end(), {1, 0, 0, 0});
    } else {
      tree_.q0.push_back(element.ref);
    }
  }

  void add_shapes(Body& body, LinkDescription& link) {
    for (const Geom& geom : body.geoms) {
      if (geom.group <= last_drawn_group) {
        if (auto visual = visual_of(geom))
          link.visuals.push_back(std::move(*visual));
        else
          link.shapes_left_out = true;
      }
      if (!geom.name.empty()) tree_.geoms.emplace(geom.name, -1);
      if (collides_) add_collider(geom, link);
    }
  }

  void add_collider(const Geom& geom, LinkDescription& link) {
    if (geom.contact.contype == 0 && geom.contact.conaffinity == 0 && !geom.is_paired) return;
    std::optional<CollisionDescription> collider;
    try {
      collider = collision_of(geom);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: geom '{}': {}", geom.source, geom.name, error.what()));
    }
    if (!collider) return;
    collider->name = names_.unique_collider(
        geom.name.empty() ? fmt::format("{}_{}", link.name, link.collisions.size() + 1)
                          : geom.name);
    if (!geom.name.empty()) tree_.geoms[geom.name] = int(tree_.colliders.size());
    tree_.colliders.push_back({collider->name, link.name, geom.contact});
    link.collisions.push_back(std::move(*collider));
  }

  void add_sites(const Body& body) {
    for (const auto& [name, X_BS] : body.sites) {
      tree_.sites.emplace(name, TreeSite{body.name, X_BS});
      robot_.frames.push_back({names_.unique(name), body.link, X_BS, ""});
    }
  }

  Files& files_;
  GeomContext& context_;
  JointContext joints_;
  RobotDescription& robot_;
  Names names_;
  bool collides_;                           // geoms become colliders
  std::unordered_set<std::string> paired_;  // geoms that a <pair> names
  Tree tree_;
  std::vector<std::string> legacy_masses_;  // places of geoms (has_legacy_mass)
  std::vector<std::string> missing_;        // elements whose bodies are not read
};

}  // namespace

Tree read_tree(Files& files, GeomContext& geoms, const Flags& flags,
               const RobotFileOptions& options, RobotDescription& robot) {
  return TreeReader(files, geoms, flags, options, robot).run();
}

}  // namespace torsor::mjcf

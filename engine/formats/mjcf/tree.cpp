#include "torsor/formats/mjcf/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/formats/mjcf/shapes/body_inertia.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::mjcf {

namespace {

// The groups of geoms that MuJoCo draws by default. Shapes for collision are often in group 3.
constexpr int last_drawn_group = 2;

// A child body of a body, with the pose of the <frame> around it.
struct Child {
  const XMLElement* xml;
  Pose<double> X_BF;
  std::string childclass;
};
struct JointXml {
  Values values;
  Pose<double> X_BF;
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
  int joint = -1;  // TreeBody::joint
};

class TreeReader {
 public:
  TreeReader(Files& files, GeomContext& geoms, const RobotFileOptions& options,
             RobotDescription& robot)
      : files_(files), context_(geoms), options_(options), robot_(robot), names_(files) {}

  Tree run() {
    Body world;
    world.name = "world";
    world.X_WB = Pose<double>::identity();
    for (const XMLElement* xml : files_.children(files_.root(), "worldbody"))
      collect(*xml, world, Pose<double>::identity(), class_of(*xml, ""));
    if (!world.joints.empty())
      world.joints[0].values.own().fail("the world cannot move; put the joint into a <body>");
    if (!world.geoms.empty() || !world.sites.empty()) add_world(world);
    tree_.bodies.emplace("world", TreeBody{"", world.X_WB, -1});
    for (const Child& child : world.children) read_body(child, world);
    warn_of_legacy_masses();
    return std::move(tree_);
  }

 private:
  const Compiler& compiler() const { return context_.compiler; }

  // Returns the class of the elements in a body or frame.
  std::string class_of(const XMLElement& xml, const std::string& outer) const {
    const char* given = xml.Attribute("childclass");
    if (!given || !*given) return outer;
    if (!context_.classes.contains(given))
      files_.element(xml, owner_of(xml))
          .fail(fmt::format("there is no class '{}' of defaults{}", xml::readable(given),
                            did_you_mean(given, context_.classes.names())),
                "childclass");
    return given;
  }

  // Collects the elements of a body. X_BF: the pose of the elements' frame in the body.
  void collect(const XMLElement& parent, Body& body, const Pose<double>& X_BF,
               const std::string& childclass) {
    for (const XMLElement* xml : files_.children(parent)) {
      const std::string_view kind = xml->Name();
      if (kind == "body") {
        body.children.push_back({xml, X_BF, childclass});
      } else if (kind == "frame") {
        const Values values(files_.element(*xml, "<frame>"));
        collect(*xml, body, X_BF * read_pose(values, compiler()), class_of(*xml, childclass));
      } else if (kind == "joint" || kind == "freejoint") {
        body.joints.push_back(
            {Values(files_, context_.classes, *xml, childclass, owner_of(*xml)), X_BF});
      } else if (kind == "geom") {
        Geom& geom = body.geoms.emplace_back(read_geom(context_, *xml, childclass, owner_of(*xml)));
        geom.X_BG = X_BF * geom.X_BG;
      } else if (kind == "site") {
        collect_site(*xml, body, X_BF, childclass);
      } else if (kind == "inertial") {
        body.inertial.emplace(files_.element(*xml, fmt::format("body '{}'", body.name)));
      }
    }
  }

  void collect_site(const XMLElement& xml, Body& body, const Pose<double>& X_BF,
                    const std::string& childclass) {
    const std::string name = name_of(xml);
    if (name.empty()) {
      files_.note(UnusedWord::Kind::ignored, xml, "<site> without a name");
      return;
    }
    const Values values(files_, context_.classes, xml, childclass, owner_of(xml));
    Pose<double> X_FS = read_pose(values, compiler());
    if (const auto p = values.numbers<6>("fromto")) {
      const Vec3<double> a{(*p)[0], (*p)[1], (*p)[2]}, b{(*p)[3], (*p)[4], (*p)[5]};
      if (!(norm(a - b) > 1e-14)) values.own().fail("both points of fromto are the same", "fromto");
      X_FS = {smallest_rotation_z_to(a - b), 0.5 * (a + b)};
    }
    body.sites.emplace_back(name, X_BF * X_FS);
  }

  void add_world(Body& world) {
    LinkDescription link;
    link.name = world.link = names_.unique("worldbody");
    link.source = files_.place(files_.root());
    add_shapes(world, link);
    robot_.links.push_back(std::move(link));
    add_sites(world);
    world.link.clear();
  }

  void read_body(const Child& child, const Body& parent) {
    Body body;
    body.name = name_of(*child.xml);
    body.link = names_.next_body(*child.xml);
    if (body.name.empty()) body.name = body.link;
    const std::string owner = fmt::format("body '{}'", xml::readable(body.name));
    const Pose<double> given = read_pose(Values(files_.element(*child.xml, owner)), compiler());
    body.X_WB = compiler().global ? given : parent.X_WB * child.X_BF * given;
    const Pose<double> X_PB = inverse(parent.X_WB) * body.X_WB;
    const Pose<double> X_BF = compiler().global ? inverse(body.X_WB) : Pose<double>::identity();
    collect(*child.xml, body, X_BF, class_of(*child.xml, child.childclass));
    LinkDescription link;
    link.name = body.link;
    link.source = files_.place(*child.xml);
    link.inertia =
        body_inertia(compiler(), body.inertial ? &*body.inertial : nullptr, X_BF, body.geoms);
    link.inertia_source = body.inertial ? body.inertial->own().place() : link.source;
    if (!body.inertial || compiler().inertia_from_geom == InertiaFromGeom::always)
      for (const Geom& geom : body.geoms)
        if (has_legacy_mass(geom)) legacy_masses_.push_back(geom.source);
    add_shapes(body, link);
    add_joints(body, parent.link, compiler().global ? X_PB : child.X_BF * given, std::move(link));
    body.joint = body.joints.empty() ? parent.joint : int(tree_.joints.size()) - 1;
    tree_.bodies.emplace(body.name, TreeBody{body.link, body.X_WB, body.joint});
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

  // Adds the link of a body, after links without mass for all its joints but the last.
  void add_joints(Body& body, const std::string& parent, const Pose<double>& X_PB,
                  LinkDescription link) {
    link.parent = parent;
    link.joint.placement = ScrewPlacement{.X_PL = X_PB};
    for (size_t k = 0; k < body.joints.size(); ++k) {
      const auto& [values, X_BF] = body.joints[k];
      JointElement element = read_joint(files_, values, compiler(), X_BF, options_.base_motors);
      JointDescription& joint = element.joint;
      joint.name = names_.next_joint(values.own().xml());
      if (element.type == JointType::free) {
        if (!parent.empty() || body.joints.size() > 1)
          values.own().fail("a free joint must be the only joint of a body in <worldbody>");
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
      add_joint_record(element, body.X_WB);
      moving.joint = std::move(joint);
      if (last) break;
      link.parent = between.name;
      robot_.links.push_back(std::move(between));
    }
    robot_.links.push_back(std::move(link));
  }

  void add_joint_record(const JointElement& element, const Pose<double>& X_WB) {
    const JointDescription& joint = element.joint;
    const JointTraits& kind = traits(joint.kind);
    robot_.dof_order.push_back(joint.name);
    tree_.joint_index.emplace(joint.name, tree_.joints.size());
    tree_.joints.push_back(
        {joint.name, element.type, robot_.links.size(), element.ref, tree_.n_q, tree_.n_v});
    tree_.n_q += size_t(kind.n_q);
    tree_.n_v += size_t(kind.n_v);
    if (element.type == JointType::free) {
      const Quaternion r = quaternion(X_WB.R);
      tree_.q0.insert(tree_.q0.end(), {X_WB.p.x, X_WB.p.y, X_WB.p.z, r.w, r.x, r.y, r.z});
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
      if (options_.collisions) add_collider(geom, link);
    }
  }

  void add_collider(const Geom& geom, LinkDescription& link) {
    if (geom.contype == 0 && geom.conaffinity == 0) return;
    std::optional<CollisionDescription> collider;
    try {
      collider = collision_of(geom);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: geom '{}': {}", geom.source, geom.name, error.what()));
    }
    if (!collider) return;
    // The same rule as that of the builder for colliders without a name.
    if (collider->name.empty())
      collider->name = fmt::format("{}_{}", link.name, link.collisions.size() + 1);
    tree_.colliders.push_back({collider->name, link.name, geom.contype, geom.conaffinity});
    link.collisions.push_back(std::move(*collider));
  }

  void add_sites(const Body& body) {
    for (const auto& [name, X_BS] : body.sites) {
      if (!tree_.sites.emplace(name, TreeSite{body.name, X_BS}).second)
        throw Error(fmt::format("{}: there are two sites named '{}'; give each its own name",
                                files_.place(files_.root()), name));
      robot_.frames.push_back({names_.unique(name), body.link, X_BS, ""});
    }
  }

  Files& files_;
  GeomContext& context_;
  const RobotFileOptions& options_;
  RobotDescription& robot_;
  Names names_;
  Tree tree_;
  std::vector<std::string> legacy_masses_;  // places of geoms (has_legacy_mass)
};

}  // namespace

Tree read_tree(Files& files, GeomContext& geoms, const RobotFileOptions& options,
               RobotDescription& robot) {
  return TreeReader(files, geoms, options, robot).run();
}

}  // namespace torsor::mjcf

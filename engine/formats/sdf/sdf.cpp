#include "torsor/formats/sdf/sdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/formats/sdf/couplings.hpp"
#include "torsor/formats/sdf/joint.hpp"
#include "torsor/formats/sdf/link.hpp"
#include "torsor/formats/sdf/loader.hpp"
#include "torsor/formats/sdf/tree.hpp"
#include "torsor/model/building/placement.hpp"

namespace torsor {

namespace {

using sdf::Joint, sdf::JointNode, sdf::LinkNode, sdf::Scope, sdf::scoped_name, sdf::Tree;
using xml::Element;

class SdfReader {
 public:
  SdfReader(const std::filesystem::path& file, const RobotFileOptions& options)
      : file_(file), options_(options), loader_(file, options) {
    robot_.nonphysical = options.strict ? Nonphysical::reject : Nonphysical::warn;
    robot_.com_frames = options.com_frames;
  }

  RobotDescription run() {
    world_ = loader_.read();
    frames_ = std::make_unique<sdf::Frames>(*world_);
    robot_.name = options_.name.empty() ? world_->name : options_.name;
    collect(*world_);
    if (links_.empty()) world_->element.fail("there is no <link> in it or in its models; add one");
    read_gravity();
    const Tree tree(links_, joints_);
    sdf::read_mimics(joints_, tree, *frames_, options_.strict, loader_, robot_);
    read_links(tree);
    for (const size_t j : tree.closing()) {
      const Joint& joint = joints_[j];
      if (tree.base(tree.index(joint.parent)) == tree.base(tree.index(joint.child)))
        loader_.note(joint.node->element, UnusedWord::Kind::ignored,
                     "<joint> between links that are fixed to each other");
      else
        close_loop(joint);
    }
    sdf::read_gearboxes(joints_, tree, *frames_, loader_, robot_);
    for (const Joint& joint : joints_)
      if (tree.has(size_t(&joint - joints_.data()))) list_dofs(joint);
    robot_.dof_order.insert(robot_.dof_order.begin(), floating_.begin(), floating_.end());
    require_floating_base();
    add_frames(*world_, fixed_link());
    warn();
    return std::move(robot_);
  }

 private:
  // Collects the links and joints of a scope and of its models, in the order of the file.
  void collect(const Scope& scope) {
    for (const LinkNode& link : scope.links) links_.push_back(&link);
    if (!scope.canonical_link.empty()) frames_->body({.scope = &scope});  // checks the name
    for (const JointNode& joint : scope.joints) {
      joint_names_.insert(scoped_name(scope, joint.name));
      if (is_fixed(scope))
        loader_.note(joint.element, UnusedWord::Kind::ignored, "<joint> of a static model");
      else
        joints_.push_back(sdf::read_joint(joint, *frames_, loader_, assumed_));
    }
    for (const auto& model : scope.models) collect(*model);
  }

  // Reads the gravity of a world, m/s^2. Before SDF 1.6, it was in <physics>.
  void read_gravity() {
    const Element& world = world_->element;
    if (world.xml().Name() != std::string_view("world")) return;
    std::optional<Element> gravity;
    if (const auto own = world.child("gravity"))
      gravity.emplace(*own);
    else if (const auto physics = world.child("physics"))
      if (const auto old = physics->child("gravity")) gravity.emplace(*old);
    robot_.gravity_W = Vec3<double>{0, 0, -9.8};  // the default of SDF
    robot_.gravity_source = world.place();
    if (!gravity) return;
    const auto [x, y, z] = gravity->text_numbers<3>();
    robot_.gravity_W = Vec3<double>{x, y, z};
    robot_.gravity_source = gravity->place();
  }

  Pose<double> pose_of(const LinkNode* link) {
    return link ? frames_->pose_in_world({.link = link}) : Pose<double>::identity();
  }
  static std::string name_of(const LinkNode* link) {
    return link ? scoped_name(*link->scope, link->name) : "";
  }

  void read_links(const Tree& tree) {
    sdf::LinkReader reader(loader_, *frames_, options_);
    for (size_t i = 0; i < links_.size(); ++i) {
      LinkDescription link = reader.read(*links_[i]);
      const Tree::Branch& branch = tree.branch(i);
      if (branch.joint != Tree::none) {
        attach(link, *links_[i], joints_[size_t(branch.joint)], branch.reversed);
      } else {
        ScrewPlacement placement;
        placement.X_PL = pose_of(links_[i]);
        link.joint.placement = placement;
        if (tree.floats(i)) make_floating(link, *links_[i]);
      }
      robot_.links.push_back(std::move(link));
    }
    report_assumed(reader.without_inertial(), "file.inertia", "no <inertial>",
                   "so the mass is 1 kg and the moments of inertia are 1 kg m^2, the defaults of "
                   "SDF",
                   "add an <inertial>");
    report_assumed(
        reader.incomplete(), "file.inertia", "no <mass> or no <inertia>",
        "so the mass is 1 kg or the moments of inertia are 1 kg m^2, the defaults of SDF",
        "add the missing one");
  }

  // Attaches a link to the other end of a joint.
  //
  // The joint turns the child, relative to the parent, by q about an axis e through the origin of
  // J. Relative to the child, the parent turns by q about -e. The same holds for slides and screws.
  // A joint with two axes is two joints with a massless link between them, whose frame is J.
  void attach(LinkDescription& link, const LinkNode& node, const Joint& joint, bool reversed) {
    const LinkNode* other = reversed ? joint.child : joint.parent;
    const double sign = reversed ? -1 : 1;
    const Pose<double> X_WL = pose_of(&node), X_LJ = inverse(X_WL) * joint.X_WJ;
    Pose<double> X_WP = pose_of(other);
    link.parent = name_of(other);
    std::vector<size_t> axes;  // from the parent of the link to the link
    for (size_t k = 0; k < joint.axes.size(); ++k)
      axes.push_back(reversed ? joint.axes.size() - 1 - k : k);
    if (axes.size() == 2) {
      LinkDescription cross;
      cross.name = joint.name + "_cross";
      cross.source = joint.place();
      cross.parent = link.parent;
      cross.joint = joint_of(joint, axes[0]);
      cross.joint.placement = ScrewPlacement{.X_PL = inverse(X_WP) * joint.X_WJ,
                                             .axis = sign * joint.axes[axes[0]].direction_J};
      set_position(cross, joint.position, axes[0]);
      link.parent = cross.name;
      X_WP = joint.X_WJ;
      robot_.links.push_back(std::move(cross));
    }
    ScrewPlacement placement{.X_PL = inverse(X_WP) * X_WL, .point = X_LJ.p};
    if (!axes.empty()) placement.axis = sign * (X_LJ.R * joint.axes[axes.back()].direction_J);
    link.joint = joint_of(joint, axes.empty() ? 0 : axes.back());
    link.joint.placement = placement;
    set_position(link, joint.position, axes.empty() ? 0 : axes.back());
  }

  // Moves a link, which is at its pose of the file, to where its joint is at 0. position: the
  // coordinates at the poses of the file; empty: 0. first: index of those of the joint.
  static void set_position(LinkDescription& link, const std::vector<double>& position,
                           size_t first) {
    if (position.empty()) return;
    auto& screw = std::get<ScrewPlacement>(link.joint.placement);
    screw.X_PL = screw.X_PL * inverse(motion_of_link(link, position.data() + first));
  }

  // Returns the joint for an axis of a joint, or the joint if it has no axis, without its
  // placement.
  static JointDescription joint_of(const Joint& joint, size_t axis) {
    JointDescription out = joint.axes.empty() ? JointDescription{} : joint.axes[axis].motion;
    out.name = joint.name_of_axis(axis);
    out.kind = joint.type->kind;
    out.pitch = joint.pitch;
    out.source = joint.place();
    const int n_v = traits(out.kind).n_v;
    if (n_v > 1) out.drives.assign(size_t(n_v), Drive{.passive = true});
    return out;
  }

  // Gives a link a floating joint, whose neutral position is the pose of the link in the file. The
  // joints of a model have the names floating_base, floating_base_2, ..
  void make_floating(LinkDescription& link, const LinkNode& node) {
    JointDescription& joint = link.joint;
    const Scope* model = node.scope;
    while (!model->parent->is_world()) model = model->parent;
    int& k = n_floating_[model];
    do {
      ++k;
      joint.name = scoped_name(
          *model, std::string(floating_base_joint) + (k > 1 ? fmt::format("_{}", k) : ""));
    } while (!joint_names_.insert(joint.name).second);
    joint.kind = JointKind::floating;
    joint.source = node.element.place();
    set_position(link, sdf::read_floating_position(node), 0);
    joint.drives.assign(6, Drive{.passive = !options_.base_motors});
    floating_.push_back(joint.name);
  }

  void require_floating_base() const {
    if (options_.floating_base && floating_.empty())
      world_->element.fail(
          "no link floats: a model is static, or a joint connects it to the world; change the "
          "file, "
          "or read it without a floating base");
  }

  // Adds a closure for a joint that closes a loop. It has no motor; the inertia of a rotor is its
  // armature.
  void close_loop(const Joint& joint) {
    if (joint.type->name == "revolute2")
      joint.node->element.fail(
          "a joint of the type revolute2 cannot close a loop; write it as two "
          "revolute joints with a link between them");
    ClosureDescription out;
    out.name = joint.name;
    out.kind = joint.type->closure;
    out.source = joint.place();
    if (out.kind == ClosureKind::screw) out.parameter = joint.pitch;
    const LinkNode* ends[2] = {joint.parent, joint.child};
    for (size_t k = 0; k < 2; ++k) {
      out.frames[k] = ends[k] ? name_of(ends[k]) : "world";
      out.origins[k] = inverse(pose_of(ends[k])) * joint.X_WJ;
      if (!joint.axes.empty())
        out.axes[k] = joint.axes[std::min(k, joint.axes.size() - 1)].direction_J;
    }
    if (joint.axes.size() == 1) {
      LinkDescription moved;  // with the frame J
      moved.joint = joint_of(joint, 0);
      moved.joint.placement = ScrewPlacement{.axis = joint.axes[0].direction_J};
      const double position = joint.position_of(0);
      out.origins[0] = out.origins[0] * inverse(motion_of_link(moved, &position));
      const JointDescription& motion = joint.axes[0].motion;
      if (motion.damping.all != 0 || !motion.drives.empty() || joint.axes[0].is_limited) {
        out.joint = motion;
        if (out.joint->drives.empty()) out.joint->drives.emplace_back();
        Drive& drive = out.joint->drives[0];
        out.joint->armature = drive.motor.inertia();
        drive.motor = {};
        drive.passive = true;
      }
    }
    const auto has_more = [](const sdf::JointAxis& axis) {
      return axis.is_limited || axis.motion.damping.all != 0 || !axis.motion.drives.empty();
    };
    if (!out.joint && std::ranges::any_of(joint.axes, has_more))
      loader_.note(joint.node->element, UnusedWord::Kind::unsupported,
                   "<limit> and <dynamics> of a universal joint that closes a loop");
    robot_.closures.push_back(std::move(out));
  }

  void list_dofs(const Joint& joint) {
    if (joint.type->kind == JointKind::fixed) return;
    for (size_t k = 0; k < std::max<size_t>(1, joint.axes.size()); ++k)
      robot_.dof_order.push_back(joint.name_of_axis(k));
  }

  // Returns a link that is fixed in the world, or null if there is none.
  const LinkNode* fixed_link() const {
    const auto found =
        std::ranges::find_if(links_, [](const LinkNode* each) { return is_fixed(*each->scope); });
    return found == links_.end() ? nullptr : *found;
  }

  // Adds the <frame> elements. A frame in the world is added to the link `fixed`.
  void add_frames(const Scope& scope, const LinkNode* fixed) {
    for (const sdf::FrameNode& node : scope.frames) {
      const LinkNode* link = frames_->body({.frame = &node});
      if (!link) link = fixed;
      if (!link) {
        loader_.note(node.element, UnusedWord::Kind::ignored, "<frame> of the world");
        continue;
      }
      FrameDescription out;
      out.name = scoped_name(scope, node.name);
      out.link = name_of(link);
      out.X_LF = inverse(pose_of(link)) * frames_->pose_in_world({.frame = &node});
      out.source = node.element.place();
      robot_.frames.push_back(std::move(out));
    }
    for (const auto& model : scope.models) add_frames(*model, fixed);
  }

  void report_assumed(const sdf::AssumedInertias& list, const char* rule, const char* what,
                      const char* consequence, const char* advice) {
    if (list.links.empty()) return;
    robot_.warnings.push_back(fmt::format("{}: {} in these links, {}: {}", list.source, what,
                                          consequence, xml::first_names(list.links)));
    for (const std::string& link : list.links)
      robot_.faults.push_back({rule, list.source, fmt::format("link '{}'", link),
                               fmt::format("{}, {}", what, consequence), advice});
  }

  void warn() {
    const auto say = [&](const std::vector<std::string>& names, const char* text) {
      if (!names.empty())
        robot_.warnings.push_back(fmt::format("{}: {}, the default of SDF: {}", file_.string(),
                                              text, xml::first_names(names)));
    };
    say(assumed_.axis, "no <axis> in these joints, so it is z");
    say(assumed_.pitch, "no <screw_thread_pitch> in these joints, so it is 1 m per revolution");
    std::vector<std::string> words;
    for (const xml::Document* document : loader_.documents()) {
      std::vector<UnusedWord> unused = document->unused();
      std::ranges::stable_sort(unused, {}, &UnusedWord::line);
      if (std::string summary = xml::summary(unused); !summary.empty())
        words.push_back(std::move(summary));
      robot_.unused.insert(robot_.unused.end(), unused.begin(), unused.end());
    }
    words.insert(words.end(), loader_.warnings().begin(), loader_.warnings().end());
    robot_.warnings.insert(robot_.warnings.begin(), words.begin(), words.end());
  }

  std::filesystem::path file_;
  RobotFileOptions options_;
  sdf::Loader loader_;
  std::unique_ptr<Scope> world_;
  std::unique_ptr<sdf::Frames> frames_;
  RobotDescription robot_;
  std::vector<const LinkNode*> links_;
  std::vector<Joint> joints_;
  std::unordered_set<std::string> joint_names_;
  std::unordered_map<const Scope*, int> n_floating_;  // last number of a floating joint of a model
  std::vector<std::string> floating_;
  sdf::AssumedJoints assumed_;
};

}  // namespace

RobotDescription read_sdf(const std::filesystem::path& file, const RobotFileOptions& options) {
  return SdfReader(file, options).run();
}

}  // namespace torsor

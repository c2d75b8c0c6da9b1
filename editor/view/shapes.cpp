#include "editor/view/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "torsor/model/inertia.hpp"

namespace torsor::editor {

namespace {

constexpr Color mount_color{0.30, 0.32, 0.35, 1};

// A link, and the start and end points of its limbs in the frame of its body.
struct Skeleton {
  int body;
  int robot;
  bool moving;         // true if its joint is not fixed
  bool drawn = false;  // true if the description has a visual that can be drawn
  // True if this link or one of its descendants has mass or a joint that is not fixed. Other links
  // mark places of sensors and tools and get no limb.
  bool heavy = false;
  bool carries = false;  // true if a descendant has a joint that is not fixed
  bool point_mass = false;
  Vec3<double> start;
  // End points of the limbs. The second member is the body whose joint is at the end point, or -1.
  std::vector<std::pair<Vec3<double>, int>> ends;
  double reach = 0;  // distance from the start to the farthest end, m
  // Path length from the start of the root link to the start of this link, m.
  double path = 0;
  int depth = 0;      // number of joints from the root that are not fixed
  double radius = 0;  // radius of its limbs
};

class Maker {
 public:
  Maker(const Model& model, std::vector<Surfaces> meshes) : model_(model) {
    shapes_.meshes = std::move(meshes);
    shapes_.meshes.resize(model.visuals.size());
    links_.resize(model.links.size());
    shapes_.joint_size.assign(size_t(model.n_body), 0);
    for (size_t l = 0; l < links_.size(); ++l) start(int(l));
    for (size_t l = 0; l < links_.size(); ++l) mark_heavy(int(l));
    for (size_t l = 0; l < links_.size(); ++l) mark_carriers(int(l));
    for (size_t l = 0; l < links_.size(); ++l) lead(int(l));
    for (const Robot& robot : model.robots) measure(robot);
  }

  Shapes make() {
    for (size_t k = 0; k < model_.visuals.size(); ++k)
      described(model_.visuals[k], shapes_.meshes[k]);
    for (size_t l = 0; l < links_.size(); ++l) {
      if (links_[l].drawn) continue;
      if (links_[l].moving) joint(int(l));
      limbs(int(l));
    }
    return std::move(shapes_);
  }

 private:
  const Link& link(int l) const { return model_.links[size_t(l)]; }
  const Frame& frame(int l) const { return model_.frames[size_t(link(l).frame)]; }

  void add(int body, int l, Solid part) {
    part.link = l;
    shapes_.solids.push_back({body, part});
  }
  void add(int body, int l, Solid part, const Color& color) {
    part.color = color;
    add(body, l, part);
  }

  // Adds a visual of the description. A colour in the mesh file has priority over the colour in the
  // description.
  void described(const Visual& visual, const Surfaces& mesh) {
    const Frame& of = frame(visual.link);
    const Pose<double> X_BV = of.X_BF * visual.X_FV;
    const Color color = visual.color.value_or(robot_paint(links_[size_t(visual.link)].robot).limb);
    for (const Solid& part : solids(visual.shape, X_BV)) add(of.body, visual.link, part, color);
    if (!mesh) return;
    for (const Surface& surface : *mesh) {
      const Vec3<double>& scale = std::get<MeshFile>(visual.shape).scale;
      add(of.body, visual.link,
          {.mesh = Mesh::surface, .X = X_BV, .size = scale, .surface = &surface},
          surface.color.value_or(color));
    }
  }

  void start(int l) {
    Skeleton& s = links_[size_t(l)];
    s.body = frame(l).body;
    s.moving = s.body > 0 && model_.joint_of_body(s.body) == link(l).joint;
    s.start = s.moving ? Vec3<double>{0, 0, 0} : frame(l).X_BF.p;
    for (size_t k = 0; k < model_.visuals.size(); ++k) {
      const Visual& visual = model_.visuals[k];
      if (visual.link == l &&
          (shapes_.meshes[k] || !std::holds_alternative<MeshFile>(visual.shape)))
        s.drawn = true;
    }
    for (size_t r = 0; r < model_.robots.size(); ++r) {
      const Robot& robot = model_.robots[r];
      if (l >= robot.first_link && l < robot.first_link + robot.n_link) s.robot = int(r);
    }
  }

  void mark_carriers(int l) {
    if (!links_[size_t(l)].moving) return;
    for (int k = link(l).parent; k >= 0; k = link(k).parent) links_[size_t(k)].carries = true;
  }

  void mark_heavy(int l) {
    if (link(l).inertia_L.m <= 0 && !links_[size_t(l)].moving) return;
    for (int k = l; k >= 0 && !links_[size_t(k)].heavy; k = link(k).parent)
      links_[size_t(k)].heavy = true;
  }

  Vec3<double> start_in_parent(int l) const {
    const Skeleton& s = links_[size_t(l)];
    return s.moving ? model_.X_PB0[size_t(s.body)].p : s.start;
  }

  void lead(int l) {
    Skeleton& s = links_[size_t(l)];
    for (int c = 0; c < int(links_.size()); ++c) {
      if (link(c).parent != l || !links_[size_t(c)].heavy) continue;
      const Skeleton& child = links_[size_t(c)];
      s.ends.emplace_back(start_in_parent(c), child.moving ? child.body : -1);
    }
    const Pose<double>& X_BL = frame(l).X_BF;
    const SpatialInertia<double>& M = link(l).inertia_L;
    const auto far = [&](const Vec3<double>& p) { return norm(p - s.start) > 1e-6; };
    const bool leads_nowhere =
        std::none_of(s.ends.begin(), s.ends.end(), [&](const auto& end) { return far(end.first); });
    if (M.m > 0) {
      const Vec3<double> com_B = X_BL * ((1 / M.m) * M.h);
      const auto [a, b, c] = principal_inertia(M).moments;
      const double around = norm(com_B - s.start);
      s.point_mass = far(com_B) && a + b + c < 1e-4 * M.m * around * around;
      if (leads_nowhere && far(com_B)) s.ends.emplace_back(com_B, -1);
    } else if (leads_nowhere && s.moving && far(X_BL.p)) {
      s.ends.emplace_back(X_BL.p, -1);
    }
    for (const auto& [end, body] : s.ends) s.reach = std::max(s.reach, norm(end - s.start));
  }

  // Computes the radii of the limbs and joints from the length of the robot and the lengths of its
  // limbs.
  void measure(const Robot& robot) {
    std::vector<double> lengths;
    double extent = 0;
    int deepest = 1;
    for (int l = robot.first_link; l < robot.first_link + robot.n_link; ++l) {
      Skeleton& s = links_[size_t(l)];
      for (int k = l; link(k).parent >= 0; k = link(k).parent) {
        s.path += norm(start_in_parent(k) - links_[size_t(link(k).parent)].start);
        s.depth += links_[size_t(k)].moving;
      }
      extent = std::max(extent, s.path + s.reach);
      deepest = std::max(deepest, s.depth);
      for (const auto& [end, body] : s.ends)
        if (const double length = norm(end - s.start); body > 0 && length > 1e-6)
          lengths.push_back(length);
    }
    if (extent == 0) extent = 0.5;  // all points coincide
    if (lengths.empty()) lengths.push_back(extent);
    const auto typical = lengths.begin() + long(lengths.size() * 3 / 5);
    std::nth_element(lengths.begin(), typical, lengths.end());
    const double thick = std::min(0.055 * extent, 0.17 * *typical);
    for (int l = robot.first_link; l < robot.first_link + robot.n_link; ++l) {
      Skeleton& s = links_[size_t(l)];
      s.radius = thick * (1 - 0.4 * s.depth / deepest) * (s.point_mass ? 0.4 : 1) *
                 (s.carries || s.moving ? 1 : 0.5);
      if (s.moving) shapes_.joint_size[size_t(s.body)] = 1.15 * s.radius;
    }
    reach(robot, extent);
  }

  void reach(const Robot& robot, double extent) {
    Vec3<double> center{0, 0, 0};
    for (int j = robot.first_joint + robot.n_joint; j-- > robot.first_joint;)
      if (const size_t body = size_t(model_.joints[size_t(j)].body); model_.parent[body] == 0)
        center = model_.X_PB0[body].p;
    shapes_.extent = shapes_.reaches.empty() ? extent : std::max(shapes_.extent, extent);
    shapes_.reaches.push_back({center, extent});
  }

  // Adds a cylinder along z with bevelled edges.
  void drum(int body, int l, const Pose<double>& X, double radius, double length,
            const Color& color) {
    const double edge = 0.12 * radius;
    add(body, l, {Mesh::cylinder, X, {radius, radius, length - 2 * edge}}, color);
    for (const double side : {-1.0, 1.0}) {
      Pose<double> X_end = X * translation<double>({0, 0, side * (length - edge) / 2});
      if (side < 0) X_end = X_end * rotation_x(std::numbers::pi);
      add(body, l, {Mesh::cylinder, X_end, {radius, radius, edge}, 1 - edge / radius}, color);
    }
  }

  void joint(int l) {
    const Skeleton& s = links_[size_t(l)];
    const int body = s.body, parent = model_.parent[size_t(body)];
    const RobotPaint paint = robot_paint(s.robot);
    const Pose<double> here = Pose<double>::identity(), &X_PB0 = model_.X_PB0[size_t(body)];
    const double r = 1.15 * s.radius;
    const bool turns = model_.turn[size_t(body)] != 0, slides = model_.pitch[size_t(body)] != 0;
    const int behind = link(l).parent;
    if (!turns && !slides) {  // joint with several dof
      add(body, l, {Mesh::sphere, here, {1.3 * r, 1.3 * r, 1.3 * r}}, paint.joint);
      return;
    }
    if (turns && slides) {  // screw joint: a nut on a spindle
      drum(body, l, here, 1.25 * r, 1.4 * r, paint.joint);
      drum(parent, behind, X_PB0, 0.55 * r, 6 * r, mount_color);
    } else if (turns) {
      drum(body, l, here, r, 2.4 * r, paint.joint);
    } else {
      add(parent, behind, {Mesh::box, X_PB0, {2.3 * r, 2.3 * r, 2.6 * r}}, paint.joint);
      add(body, l, {Mesh::box, here, {1.5 * r, 1.5 * r, 1.5 * r}}, paint.limb);
      shapes_.slides.push_back({body, 0.6 * r, mount_color, l});
    }
    if (behind < 0) mount(X_PB0, r, slides && !turns);
  }

  // Adds the mount of a joint on the world. A joint with a vertical axis gets a foot, and a column
  // from the foot to the joint if it is above the ground. Other joints get discs at both ends.
  void mount(const Pose<double>& X_WJ, double r, bool slides) {
    const Vec3<double> axis{X_WJ.R(0, 2), X_WJ.R(1, 2), X_WJ.R(2, 2)};
    if (std::abs(axis.z) > 0.9) {
      const double below = X_WJ.p.z - 1.2 * r;
      const Vec3<double> top{X_WJ.p.x, X_WJ.p.y, below};
      const bool above_ground = below > 0.5 * r;
      const Vec3<double> foot{top.x, top.y, above_ground ? 0 : below - 0.35 * r};
      if (above_ground) add(0, -1, bar(foot, top, 1.15 * r, 0.95 * r), mount_color);
      add(0, -1, bar(foot, foot + Vec3<double>{0, 0, 0.35 * r}, 1.9 * r, 1.8 * r), mount_color);
      return;
    }
    const double from = slides ? 1.3 * r : 1.2 * r;
    for (const double side : {-1.0, 1.0})
      drum(0, -1, X_WJ * translation<double>({0, 0, side * (from + 0.2 * r)}), 1.25 * r, 0.4 * r,
           mount_color);
  }

  void limbs(int l) {
    const Skeleton& s = links_[size_t(l)];
    const Color paint = robot_paint(s.robot).limb;
    const double r = s.radius;
    trunk(l);
    bool round = !s.moving;
    for (const auto& [end, body] : s.ends) {
      const double length = norm(end - s.start);
      if (length < 0.3 * r) continue;
      const double r_end =
          std::min(r, body > 0 ? 0.85 * shapes_.joint_size[size_t(body)] : 0.8 * r);
      add(s.body, l, bar(s.start, end, 0.85 * r, 0.85 * r_end), paint);
      if (body < 0 && !s.point_mass) add(s.body, l, ball(end, 0.85 * r_end), paint);
      round = true;
    }
    if (round) add(s.body, l, ball(s.start, 0.85 * r), paint);
    if (s.point_mass) {
      const SpatialInertia<double>& M = link(l).inertia_L;
      add(s.body, l, ball(frame(l).X_BF * ((1 / M.m) * M.h), 2.6 * r), robot_paint(s.robot).joint);
    }
  }

  // Adds a box to a link with several child joints. Its edges are 80 % of those of the box with the
  // inertia of the link, m (b_j^2 + b_k^2) / 12 = I_i. The edges are limited to the space between
  // the limbs.
  void trunk(int l) {
    const Skeleton& s = links_[size_t(l)];
    const SpatialInertia<double>& M = link(l).inertia_L;
    const auto joints =
        std::count_if(s.ends.begin(), s.ends.end(), [](const auto& end) { return end.second > 0; });
    if (joints < 2 || M.m <= 0) return;
    const std::optional<Solid> ellipsoid = inertia_ellipsoid(M);
    const Pose<double> X_BC = frame(l).X_BF * ellipsoid->X;
    Vec3<double> low{0, 0, 0}, high{0, 0, 0};
    for (size_t k = 0; k <= s.ends.size(); ++k) {
      const Vec3<double> p = inverse(X_BC) * (k < s.ends.size() ? s.ends[k].first : s.start);
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const auto edge = [&](double semi_axis, double from, double to) {
      // Converts a semi-axis a of the inertia ellipsoid to the edge b of the box with the same
      // inertia: m (a_j^2 + a_k^2) / 5 = I_i = m (b_j^2 + b_k^2) / 12.
      const double of_box = std::sqrt(12.0 / 5) * semi_axis;
      return std::clamp(0.8 * of_box, 1.2 * s.radius, 0.75 * (to - from) + 1.2 * s.radius);
    };
    const Vec3<double>& a = ellipsoid->size;
    add(s.body, l,
        {Mesh::box,
         X_BC,
         {edge(a.x, low.x, high.x), edge(a.y, low.y, high.y), edge(a.z, low.z, high.z)}},
        robot_paint(s.robot).limb);
  }

  static Solid ball(const Vec3<double>& at, double radius) {
    return {Mesh::sphere, translation(at), {radius, radius, radius}};
  }

  const Model& model_;
  std::vector<Skeleton> links_;
  Shapes shapes_;
};

}  // namespace

Shapes shapes_of(const Model& model, std::vector<Surfaces> meshes) {
  return Maker(model, std::move(meshes)).make();
}

RobotPaint robot_paint(int robot) {
  // Colours of joints: orange, blue, green, magenta, ochre, violet. Limbs are light grey with a
  // tint of the colour.
  static constexpr Color joint[] = {{0.93, 0.48, 0.17, 1}, {0.20, 0.53, 0.80, 1},
                                    {0.25, 0.64, 0.42, 1}, {0.76, 0.33, 0.55, 1},
                                    {0.78, 0.63, 0.15, 1}, {0.50, 0.42, 0.78, 1}};
  const Color& c = joint[size_t(robot) % std::size(joint)];
  const double share = robot == 0 ? 0.06 : 0.22;
  const auto pale = [&](double part) { return 0.84 * (1 - share) + part * share; };
  return {{pale(c.r), pale(c.g), pale(c.b), 1}, c};
}

}  // namespace torsor::editor

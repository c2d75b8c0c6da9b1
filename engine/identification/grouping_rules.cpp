#include "torsor/identification/grouping_rules.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/mechanics/regressor.hpp"

namespace torsor {

namespace {

// Axes count as parallel or orthogonal if the sine or cosine of their angle is below this value.
constexpr double parallel = 1e-9;

bool are_parallel(const Vec3<double>& a, const Vec3<double>& b) {
  const Vec3<double> c = cross(a, b);
  return dot(c, c) <= parallel * parallel * dot(a, a) * dot(b, b);
}
bool are_orthogonal(const Vec3<double>& a, const Vec3<double>& b) {
  const double c = dot(a, b);
  return c * c <= parallel * parallel * dot(a, a) * dot(b, b);
}

enum class Axis { turning, sliding, free, other };
Axis axis_of(const Model& model, int body) {
  if (model.v_count[size_t(body)] == 6) return Axis::free;
  if (model.v_count[size_t(body)] != 1) return Axis::other;
  const Twist<double>& S = model.S_B[size_t(model.v_index[size_t(body)])];
  const bool turns = dot(S.w, S.w) > 0, slides = dot(S.v, S.v) > 0;
  return turns && slides ? Axis::other : turns ? Axis::turning : Axis::sliding;
}

// The possible rotations of a body: none, about one direction, or about more than one. Vectors are
// in body axes at the neutral q. A vector that is parallel or orthogonal to `axis` at the neutral q
// is parallel or orthogonal to it at every q.
struct Freedom {
  enum { none, one, more } turning = none;
  Vec3<double> axis{};               // the direction of rotation if turning == one
  std::vector<Vec3<double>> slides;  // axes of the prismatic joints between base and body
  bool on_axis = true;               // the body's origin stays on one line parallel to `axis`
  Vec3<double> gravity{};
};

// Collects the changes of the parameters that have no effect on any motion. A change is a row with
// one entry per parameter.
class Rules {
 public:
  Rules(const LinearModel& linear, const Vec3<double>& gravity_W)
      : linear_(linear), model_(linear.model()), freedom_(size_t(model_.n_body)) {
    freedom_[0].gravity = gravity_W;
    first_.assign(size_t(model_.n_body), -1);
    for (int p = 0; p < int(linear.parameters().size()); ++p) {
      const DynamicParameter& parameter = linear.parameters()[size_t(p)];
      if (parameter.link >= 0 && parameter.entry == 0) add_link(parameter.link, p);
    }
  }

  // Returns the changes as rows of a matrix. Returns nullopt if the rules do not cover the model.
  std::optional<Eigen::MatrixXd> run() {
    if (!model_.mimics.empty() || !model_.transmissions.empty()) return std::nullopt;
    for (int body = 1; body < model_.n_body; ++body) {
      const Axis axis = axis_of(model_, body);
      const int parent = model_.parent[size_t(body)];
      if (axis == Axis::other || (axis == Axis::free && parent != 0)) return std::nullopt;
      move(body, parent, axis);
      if (axis == Axis::turning) turning_rules(body, parent);
      if (axis == Axis::sliding) sliding_rules(body, parent);
    }
    return matrix();
  }

 private:
  using Inertia = SpatialInertia<double>;
  using Change = Eigen::VectorXd;
  enum Entry { M, MX, MY, MZ, XX, YY, ZZ, XY, XZ, YZ };

  // Registers a link. The first link of a body represents the body. The inertial parameters of a
  // further link of the same body can be moved to the first link. Adds these changes.
  void add_link(int link, int parameter) {
    const Frame& frame = frame_of(link);
    int& first = first_[size_t(frame.body)];
    if (first < 0) {
      first = parameter;
      return;
    }
    const Frame& other = frame_of(linear_.parameters()[size_t(first)].link);
    for (int p = 0; p < n_inertial; ++p) {
      Change change = none();
      change(parameter + p) = 1;
      add_inertia(change, first, transform(inverse(other.X_BF) * frame.X_BF, unit_inertia(p)), -1);
      changes_.push_back(change);
    }
  }
  const Frame& frame_of(int link) const {
    return model_.frames[size_t(model_.links[size_t(link)].frame)];
  }

  Change none() const { return Change::Zero(Eigen::Index(linear_.parameters().size())); }
  void add_inertia(Change& change, int first, const Inertia& M, double factor) const {
    const auto numbers = inertial_numbers(M);
    for (int p = 0; p < n_inertial; ++p) change(first + p) += factor * numbers[size_t(p)];
  }
  void add_to_body(Change& change, int body, const Inertia& M_B, double factor) const {
    const int first = first_[size_t(body)];
    if (first < 0) return;  // the body is the world or has no links
    const Frame& frame = frame_of(linear_.parameters()[size_t(first)].link);
    add_inertia(change, first, transform(inverse(frame.X_BF), M_B), factor);
  }
  static Inertia with(std::initializer_list<std::pair<Entry, double>> parts) {
    std::array<double, n_inertial> numbers{};
    for (const auto& [entry, number] : parts) numbers[entry] = number;
    return inertia_of(numbers);
  }

  void without_effect(int body, const Inertia& M_B) {
    Change change = none();
    add_to_body(change, body, M_B, 1);
    changes_.push_back(change);
  }
  // Adds a change that moves the inertia M_B from the parent to the body. It has no effect on any
  // motion if the motion of the joint does not change M_B in the parent frame, and if M_B needs no
  // torque at the joint. rotor: index of a rotor inertia that changes by -1, or -1 for none.
  void into_parent(int body, int parent, const Inertia& M_B, int rotor = -1) {
    Change change = none();
    add_to_body(change, body, M_B, 1);
    if (parent != 0) add_to_body(change, parent, transform(model_.X_PB0[size_t(body)], M_B), -1);
    if (rotor >= 0) change(rotor) -= 1;
    changes_.push_back(change);
  }
  int rotor_of(int body) const {
    const auto& parameters = linear_.parameters();
    for (int p = 0; p < int(parameters.size()); ++p)
      if (parameters[size_t(p)].kind == DynamicParameter::Kind::rotor &&
          parameters[size_t(p)].entry == model_.v_index[size_t(body)])
        return p;
    return -1;
  }

  void move(int body, int parent, Axis axis) {
    const Pose<double>& X_PB = model_.X_PB0[size_t(body)];
    const Mat3<double> R_BP = inverse(X_PB).R;
    const Freedom& before = freedom_[size_t(parent)];
    Freedom& now = freedom_[size_t(body)];
    now = before;
    now.gravity = R_BP * before.gravity;
    now.axis = R_BP * before.axis;
    for (Vec3<double>& slide : now.slides) slide = R_BP * slide;
    const Vec3<double> z{0, 0, 1};
    if (axis == Axis::free) now.turning = Freedom::more;
    if (axis == Axis::sliding) now.slides.push_back(z);
    if (axis == Axis::turning && before.turning == Freedom::none) {
      now.turning = Freedom::one;
      now.axis = z;
    } else {
      if (axis == Axis::turning && !are_parallel(now.axis, z)) now.turning = Freedom::more;
      const Vec3<double> offset = R_BP * X_PB.p;
      const double length = std::sqrt(dot(offset, offset));
      now.on_axis = now.on_axis && (length <= parallel || are_parallel(offset, now.axis));
    }
    if (now.turning == Freedom::one)
      for (const Vec3<double>& slide : now.slides)
        now.on_axis = now.on_axis && are_parallel(slide, now.axis);
  }

  // Adds the changes for a revolute joint about z. B is the body.
  // - XX = YY, MZ and M can be moved to the parent. These inertias are symmetric about z and have
  //   no moment of inertia about z.
  // - If all joints from the base to this one rotate about one direction, only ZZ contributes to
  //   the kinetic energy. XX, YY, XY, XZ and YZ have no effect.
  // - If in addition B's origin stays on one line along z and gravity is parallel to z, MX and MY
  //   have no effect.
  // - If the parent cannot rotate about z, Ia is equivalent to ZZ.
  void turning_rules(int body, int parent) {
    const Freedom &before = freedom_[size_t(parent)], &now = freedom_[size_t(body)];
    into_parent(body, parent, with({{XX, 1}, {YY, 1}}));
    into_parent(body, parent, with({{MZ, 1}}));
    into_parent(body, parent, with({{M, 1}}));
    if (now.turning == Freedom::one) {
      for (const Entry entry : {XX, YY, XY, XZ, YZ}) without_effect(body, with({{entry, 1}}));
      if (now.on_axis && are_parallel(now.gravity, now.axis))
        for (const Entry entry : {MX, MY}) without_effect(body, with({{entry, 1}}));
    }
    const bool first = before.turning == Freedom::none;
    const bool second = before.turning == Freedom::one && now.turning == Freedom::more &&
                        are_orthogonal(now.axis, {0, 0, 1});
    if (const int rotor = rotor_of(body); rotor >= 0 && (first || second)) {
      Change change = none();
      add_to_body(change, body, with({{ZZ, 1}}), 1);
      change(rotor) = -1;
      changes_.push_back(change);
    }
  }

  // Adds the changes for a prismatic joint along z. B is the body.
  // - XX to YZ can be moved to the parent, because the joint does not rotate B.
  // - If no joint from the base to this one rotates, first moments have no effect.
  // - If all rotations are about one direction a, the first moment along a has no effect.
  // - If a is parallel to z, MX and MY can be moved to the parent.
  // - If the parent cannot move along z and gravity is perpendicular to z, Ia is equivalent to M.
  void sliding_rules(int body, int parent) {
    const Freedom &before = freedom_[size_t(parent)], &now = freedom_[size_t(body)];
    const Vec3<double> z{0, 0, 1};
    for (const Entry entry : {XX, YY, ZZ, XY, XZ, YZ})
      into_parent(body, parent, with({{entry, 1}}));
    if (now.turning == Freedom::none)
      for (const Entry entry : {MX, MY, MZ}) without_effect(body, with({{entry, 1}}));
    const bool along = now.turning == Freedom::one && are_parallel(now.axis, z);
    if (now.turning == Freedom::one)
      without_effect(body, with({{MX, now.axis.x}, {MY, now.axis.y}, {MZ, now.axis.z}}));
    if (along)
      for (const Entry entry : {MX, MY}) into_parent(body, parent, with({{entry, 1}}));
    // True if the axes of all prismatic joints before this one are perpendicular to z.
    const bool across =
        std::all_of(now.slides.begin(), now.slides.end() - 1,
                    [&](const Vec3<double>& slide) { return are_orthogonal(slide, z); });
    const bool lifts = !are_orthogonal(now.gravity, z);
    if (const int rotor = rotor_of(body);
        rotor >= 0 && across && !lifts && (before.turning == Freedom::none || along))
      into_parent(body, parent, with({{M, 1}}), rotor);
  }

  Eigen::MatrixXd matrix() const {
    Eigen::MatrixXd N(Eigen::Index(changes_.size()), Eigen::Index(linear_.parameters().size()));
    for (size_t k = 0; k < changes_.size(); ++k) N.row(Eigen::Index(k)) = changes_[k];
    return N;
  }

  const LinearModel& linear_;
  const Model& model_;
  std::vector<Freedom> freedom_;  // [n_body]
  // [n_body] index of the first parameter of the body's first link, or -1 if there is no link.
  std::vector<int> first_;
  std::vector<Change> changes_;
};

}  // namespace

// Uses Gauss-Jordan elimination, which starts with the parameters that are least preferred to be
// kept. Afterwards, each change has a 1 in the column of one eliminated parameter, and 0 in those
// of the others. Its other entries are the coefficients of the parameters that replace the
// eliminated one.
std::optional<Grouping> group_by_rules(const LinearModel& linear, const Vec3<double>& gravity_W) {
  std::optional<Eigen::MatrixXd> N = Rules(linear, gravity_W).run();
  if (!N) return std::nullopt;
  const std::vector<int> order = preference_order(linear);
  std::vector<int> given_up;
  Eigen::Index done = 0;
  for (auto column = order.rbegin(); column != order.rend() && done < N->rows(); ++column) {
    Eigen::Index pivot = 0;
    const double size = N->col(*column).tail(N->rows() - done).cwiseAbs().maxCoeff(&pivot);
    if (size <= parallel) continue;
    N->row(done).swap(N->row(done + pivot));
    N->row(done) /= (*N)(done, *column);
    for (Eigen::Index i = 0; i < N->rows(); ++i)
      if (i != done && (*N)(i, *column) != 0)
        N->row(i) -= Eigen::VectorXd(N->row(done) * (*N)(i, *column));
    given_up.push_back(*column);
    ++done;
  }
  Grouping out;
  for (int p = 0; p < int(order.size()); ++p)
    if (std::find(given_up.begin(), given_up.end(), p) == given_up.end())
      out.independent.push_back(p);
  out.B = Eigen::MatrixXd::Zero(Eigen::Index(out.independent.size()), N->cols());
  for (size_t i = 0; i < out.independent.size(); ++i) {
    out.B(Eigen::Index(i), out.independent[i]) = 1;
    for (size_t k = 0; k < given_up.size(); ++k)
      if (const double part = (*N)(Eigen::Index(k), out.independent[i]); std::abs(part) > parallel)
        out.B(Eigen::Index(i), given_up[k]) = -part;
  }
  return out;
}

}  // namespace torsor

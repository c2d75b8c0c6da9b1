// Compares the poses of frames with those of a second implementation: products of 4 x 4 matrices of
// Eigen along the names, without the classes of the reader.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "formats/sdf_file.hpp"
#include "torsor/base/random.hpp"

namespace torsor::test::sdf_frames {
namespace {

using Matrix4 = Eigen::Matrix4d;

// A link or frame of a random model. Its pose is relative to another one, or to the model ("").
struct Item {
  std::string name, relative_to;
  bool is_link;
  double pose[6];
};

Matrix4 matrix_of(const double* pose) {
  Eigen::Affine3d out = Eigen::Translation3d(pose[0], pose[1], pose[2]) *
                        Eigen::AngleAxisd(pose[5], Eigen::Vector3d::UnitZ()) *
                        Eigen::AngleAxisd(pose[4], Eigen::Vector3d::UnitY()) *
                        Eigen::AngleAxisd(pose[3], Eigen::Vector3d::UnitX());
  return out.matrix();
}

// Writes a pose as angles in rad or degrees, or as a quaternion.
std::string pose_text(const Item& item, int form) {
  const double* p = item.pose;
  std::string attributes;
  if (!item.relative_to.empty()) attributes = " relative_to='" + item.relative_to + "'";
  if (form == 0)
    return fmt::format("<pose{}>{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}</pose>", attributes,
                       p[0], p[1], p[2], p[3], p[4], p[5]);
  constexpr double degree = 3.14159265358979323846 / 180;
  if (form == 1)
    return fmt::format(
        "<pose degrees='true'{}>{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}</pose>", attributes,
        p[0], p[1], p[2], p[3] / degree, p[4] / degree, p[5] / degree);
  const Eigen::Quaterniond q(Eigen::Matrix3d(matrix_of(p).topLeftCorner<3, 3>()));
  return fmt::format(
      "<pose rotation_format='quat_xyzw'{}>{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} "
      "{:.17g}</pose>",
      attributes, p[0], p[1], p[2], 2 * q.x(), 2 * q.y(), 2 * q.z(), 2 * q.w());
}

// Draws items whose references form a tree, in an order that does not follow it.
std::vector<Item> random_items(Random& random, const std::string& prefix, int n) {
  std::vector<Item> out;
  for (int k = 0; k < n; ++k) {
    Item item{fmt::format("{}{}", prefix, k), "", k % 3 == 0, {}};
    if (k > 0 && random.below(5) > 0)
      item.relative_to = out[size_t(random.below(uint64_t(k)))].name;
    for (double& x : item.pose) x = random.vector(3).x;
    out.push_back(item);
  }
  for (size_t k = out.size(); k > 1; --k) std::swap(out[k - 1], out[size_t(random.below(k))]);
  return out;
}

std::string text_of(Random& random, const std::vector<Item>& items) {
  std::string out;
  for (const Item& item : items)
    out += fmt::format("<{0} name='{1}'>{2}</{0}>\n", item.is_link ? "link" : "frame", item.name,
                       pose_text(item, int(random.below(3))));
  return out;
}

// The second implementation.
Matrix4 resolve(const std::vector<Item>& items, const std::string& name) {
  if (name.empty()) return Matrix4::Identity();
  for (const Item& item : items)
    if (item.name == name) return resolve(items, item.relative_to) * matrix_of(item.pose);
  ADD_FAILURE() << name;
  return Matrix4::Identity();
}

// Returns the poses of links and frames in the world, by name.
std::map<std::string, Matrix4> poses_in(const RobotDescription& robot) {
  const auto matrix = [](const Pose<double>& X) {
    Matrix4 out = Matrix4::Identity();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out(i, j) = X.R(i, j);
    out.topRightCorner<3, 1>() << X.p.x, X.p.y, X.p.z;
    return out;
  };
  std::map<std::string, Matrix4> out;
  for (const LinkDescription& link : robot.links)
    out[link.name] = matrix(std::get<ScrewPlacement>(link.joint.placement).X_PL);
  for (const FrameDescription& frame : robot.frames)
    out[frame.name] = out.at(frame.link) * matrix(frame.X_LF);
  return out;
}

void expect_close(const Matrix4& actual, const Matrix4& expected, const std::string& name) {
  EXPECT_LT((actual - expected).norm(), 1e-12 * expected.norm()) << name;
}

TEST(SdfFrames, AgreeWithProductsOfMatrices) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<Item> items = random_items(random, "f", 12);
    const auto poses = poses_in(read_sdf_text(sdf_model(text_of(random, items))));
    ASSERT_EQ(poses.size(), items.size());
    for (const Item& item : items)
      expect_close(poses.at(item.name), resolve(items, item.name), item.name);
  }
}

// A nested model at a frame of its parent, with a placement_frame. A frame of the parent is
// relative to a frame of the nested model.
TEST(SdfFrames, OfNestedModelsAgreeWithProductsOfMatrices) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<Item> outer = random_items(random, "f", 7),
                            inner = random_items(random, "g", 7);
    const std::string reference = outer[3].name, placed = inner[2].name;
    Item nested{"n", reference, false, {}}, scoped{"s", "n::" + inner[5].name, false, {}};
    for (Item* item : {&nested, &scoped})
      for (double& x : item->pose) x = random.vector(3).x;
    const std::string text = text_of(random, outer) + text_of(random, {scoped}) +
                             fmt::format("<model name='n' placement_frame='{}'>{}\n{}</model>",
                                         placed, pose_text(nested, 0), text_of(random, inner));
    const auto poses = poses_in(read_sdf_text(sdf_model(text)));
    const Matrix4 X_Wn =
        resolve(outer, reference) * matrix_of(nested.pose) * resolve(inner, placed).inverse();
    for (const Item& item : outer)
      expect_close(poses.at(item.name), resolve(outer, item.name), item.name);
    for (const Item& item : inner)
      expect_close(poses.at("n::" + item.name), X_Wn * resolve(inner, item.name), item.name);
    expect_close(poses.at("s"), X_Wn * resolve(inner, inner[5].name) * matrix_of(scoped.pose), "s");
  }
}

// A chain of 20000 frames, the first of which is the last in the file.
TEST(SdfFrames, MayFormLongChains) {
  std::string text;
  constexpr int n = 20000;
  for (int k = n; k > 0; --k)
    text += fmt::format("<frame name='f{}' attached_to='{}'><pose>0.5 0 0 0 0 0</pose></frame>\n",
                        k, k > 1 ? fmt::format("f{}", k - 1) : "a");
  const RobotDescription robot = read_sdf_text(sdf_model(text + "<link name='a'/>\n"));
  ASSERT_EQ(robot.frames.size(), size_t(n));
  EXPECT_EQ(robot.frames[0].X_LF.p.x, n / 2);
  EXPECT_EQ(robot.frames[0].link, "a");
}

}  // namespace
}  // namespace torsor::test::sdf_frames

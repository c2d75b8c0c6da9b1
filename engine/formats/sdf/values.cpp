#include "torsor/formats/sdf/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/spatial/so3.hpp"

namespace torsor::sdf {

using xml::Element, xml::readable;

double number_in(const Element& element, const char* child, double otherwise) {
  const auto found = element.child(child);
  return found ? found->text_number() : otherwise;
}

bool flag_in(const Element& element, const char* child, bool otherwise) {
  const auto found = element.child(child);
  return found ? read_flag(*found) : otherwise;
}

std::string text_in(const Element& element, const char* child) {
  const auto found = element.child(child);
  return found ? found->text() : "";
}

std::optional<double> not_negative_in(const Element& element, const char* child) {
  const auto found = element.child(child);
  if (!found) return std::nullopt;
  const double value = found->text_number();
  if (value < 0) found->fail(fmt::format("<{}> is {}; it must not be negative", child, value));
  return value;
}

double needed_number_in(const Element& element, const char* child) {
  return element.needed_child(child).text_number();
}

Vec3<double> needed_vector_in(const Element& element, const char* child) {
  const auto [x, y, z] = element.needed_child(child).text_numbers<3>();
  return {x, y, z};
}

bool read_flag(const Element& element, const char* attribute) {
  const std::string word = attribute ? element.needed_text(attribute) : element.text();
  if (word == "1" || word == "true" || word == "True" || word == "TRUE") return true;
  if (word == "0" || word == "false" || word == "False" || word == "FALSE") return false;
  const std::string name(element.xml().Name());
  element.fail(fmt::format("{} is '{}'; it can be true or false",
                           attribute ? fmt::format("{} of <{}>", attribute, name)
                                     : fmt::format("<{}>", name),
                           readable(word)),
               attribute);
}

namespace {

Pose<double> pose_of_angles(const Element& pose, bool degrees) {
  auto [x, y, z, roll, pitch, yaw] = pose.text_numbers<6>();
  if (degrees)
    for (double* angle : {&roll, &pitch, &yaw}) *angle *= std::numbers::pi / 180;
  return translation<double>({x, y, z}) * rotation_z(yaw) * rotation_y(pitch) * rotation_x(roll);
}

Pose<double> pose_of_quaternion(const Element& pose) {
  const auto [x, y, z, qx, qy, qz, qw] = pose.text_numbers<7>();
  // The division avoids an overflow of the squares.
  const double largest = std::max({std::abs(qx), std::abs(qy), std::abs(qz), std::abs(qw)});
  if (largest == 0) pose.fail("the quaternion of <pose> is zero; give it a direction");
  return {rotation(qw / largest, qx / largest, qy / largest, qz / largest), {x, y, z}};
}

}  // namespace

WrittenPose read_pose(const Element& element) {
  const auto pose = element.child("pose");
  if (!pose) return {};
  WrittenPose out;
  out.document = &pose->document();
  out.line = pose->line();
  for (const char* attribute : {"relative_to", "frame"})
    if (pose->has(attribute)) {
      out.relative_to = pose->needed_text(attribute);
      break;
    }
  const bool degrees = pose->has("degrees") && read_flag(*pose, "degrees");
  const std::string format =
      pose->has("rotation_format") ? pose->needed_text("rotation_format") : "euler_rpy";
  if (format != "euler_rpy" && format != "quat_xyzw")
    pose->fail(fmt::format("rotation_format of <pose> is '{}'; it can be euler_rpy or quat_xyzw{}",
                           readable(format), did_you_mean(format, {"euler_rpy", "quat_xyzw"})),
               "rotation_format");
  if (degrees && format == "quat_xyzw")
    pose->fail("degrees of <pose> are for euler_rpy; a quaternion has no unit", "degrees");
  if (pose->text().empty()) return out;  // an empty <pose> is the identity
  out.X = format == "quat_xyzw" ? pose_of_quaternion(*pose) : pose_of_angles(*pose, degrees);
  return out;
}

}  // namespace torsor::sdf

#pragma once
// Reads the values of SDF elements. In SDF, they are the text of an element: <mass>1.5</mass>.

#include <optional>
#include <string>

#include "torsor/formats/xml/element.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor::sdf {

// Returns the value of a child element, or the default if there is none.
double number_in(const xml::Element& element, const char* child, double otherwise);
bool flag_in(const xml::Element& element, const char* child, bool otherwise);
std::string text_in(const xml::Element& element, const char* child);
// Returns the number of a child element, which must not be negative.
std::optional<double> not_negative_in(const xml::Element& element, const char* child);
// Returns the value of a child element, which the element must have.
double needed_number_in(const xml::Element& element, const char* child);
Vec3<double> needed_vector_in(const xml::Element& element, const char* child);

// Reads "true", "false", "1" or "0". attribute: null for the text of the element.
bool read_flag(const xml::Element& element, const char* attribute = nullptr);

// A <pose> as it is written.
struct WrittenPose {
  Pose<double> X = Pose<double>::identity();
  std::string relative_to = "";  // "": the frame that the element has by default
  // The place of the <pose>; null and 0 if there is none.
  const xml::Document* document = nullptr;
  int line = 0;
};
// Reads the <pose> of an element: x, y, z and R = Rz(yaw) Ry(pitch) Rx(roll) in rad or degrees, or
// a quaternion x, y, z, w, which need not have length 1.
WrittenPose read_pose(const xml::Element& element);

}  // namespace torsor::sdf

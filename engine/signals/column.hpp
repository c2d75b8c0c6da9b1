#pragma once
// A column of a recording.

#include <string>

namespace torsor {

struct Column {
  std::string name;   // for example "iiwa.q.joint1"
  std::string unit;   // for example "rad"
  std::string frame;  // frame in which the value is expressed; "" for a scalar
  bool may_be_infinite = false;
  bool operator==(const Column&) const = default;
};

}  // namespace torsor

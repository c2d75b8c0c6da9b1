#pragma once
// The table of the URDF elements and attributes that the reader knows, and how it treats them.

#include "torsor/formats/xml/words.hpp"

namespace torsor::urdf {

// The word `optional` is used if RobotFileOptions::collisions is set.
std::span<const xml::Row> table();

inline const xml::FileType& robot_file_type() {
  static const xml::FileType type{"URDF file", "robot", table()};
  return type;
}
inline const xml::FileType& closures_file_type() {
  static const xml::FileType type{"file of closures", "closures", table()};
  return type;
}

}  // namespace torsor::urdf

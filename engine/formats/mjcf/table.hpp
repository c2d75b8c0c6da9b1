#pragma once
// The table of the MJCF elements and attributes that the reader knows, and how it treats them.

#include "torsor/formats/xml/words.hpp"

namespace torsor::mjcf {

// The word `optional` is used if RobotFileOptions::collisions is set. The scope of an element is
// CONTEXT/NAME if another element has the same name: "equality/joint", "fixed/joint".
const xml::FileType& robot_file_type();

}  // namespace torsor::mjcf

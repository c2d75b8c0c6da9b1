#pragma once
// The table of the SDF elements and attributes that the reader knows, and how it treats them.

#include "torsor/formats/xml/words.hpp"

namespace torsor::sdf {

// The word `optional` is used if the collisions of the file are used.
std::span<const xml::Row> table();

inline const xml::FileType& robot_file_type() {
  static const xml::FileType type{"SDF file", "sdf", table(), {}, true};
  return type;
}
// The file model.config of a folder with a model.
inline const xml::FileType& model_config_type() {
  static const xml::FileType type{"model.config", "model", {}};
  return type;
}

}  // namespace torsor::sdf

#pragma once
// Reads structs of a plugin that was built with another minor version of the ABI. Such a struct may
// be shorter or longer than that of the host.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor::sdk {

// The size of a struct in ABI 1.0, up to the end of its last member. It does not change if later
// versions append members. A plugin whose struct is shorter is malformed. The sizes of the structs
// of an interface are in its C++ header in ext/.
template <class Struct>
inline constexpr size_t minimal_size = [] {
  static_assert(sizeof(Struct) == 0, "include the header of ext/ that has the size of this struct");
  return size_t(0);
}();

// New members begin at the minimal size. Therefore the struct must not have padding there. A struct
// with new members needs a new minor version.
#define TORSOR_MINIMAL_SIZE(structure, last)                                                       \
  template <>                                                                                      \
  inline constexpr size_t torsor::sdk::minimal_size<structure> =                                   \
      offsetof(structure, last) + sizeof(structure::last);                                         \
  static_assert(torsor::sdk::minimal_size<structure> % alignof(structure) == 0, #structure         \
                " has padding at its end: put its members in another"                              \
                " order");                                                                         \
  static_assert(TORSOR_ABI_MINOR > 0 || sizeof(structure) == torsor::sdk::minimal_size<structure>, \
                #structure " has grown: raise TORSOR_ABI_MINOR")

// Returns the defect of a struct's size as a clause ("has 12 bytes, 72 are needed"), or "" if the
// size is valid.
template <class Struct>
std::string size_defect(const Struct& of_plugin) {
  const size_t size = of_plugin.struct_size;
  if (size >= minimal_size<Struct> && size % alignof(Struct) == 0) return "";
  const std::string has = "has " + std::to_string(size) + " bytes, ";
  return size < minimal_size<Struct>
             ? has + std::to_string(minimal_size<Struct>) + " are needed"
             : has + "which is not a multiple of " + std::to_string(alignof(Struct));
}

// Returns a copy of a plugin's struct with the members that the host knows. Members that the
// plugin's struct does not cover are zero.
template <class Struct>
Struct known_members(const Struct& of_plugin) {
  Struct known{};
  std::memcpy(&known, &of_plugin, std::min<size_t>(of_plugin.struct_size, sizeof known));
  return known;
}

// Returns copies of the rows of a plugin's array of structs. All rows have the struct_size of the
// first one.
template <class Row>
std::vector<Row> known_rows(const Row* first, size_t count) {
  std::vector<Row> rows;
  const auto* at = reinterpret_cast<const char*>(first);
  for (size_t k = 0; k < count; ++k, at += first->struct_size)
    rows.push_back(known_members(*reinterpret_cast<const Row*>(at)));
  return rows;
}

}  // namespace torsor::sdk

TORSOR_MINIMAL_SIZE(torsor_model, family);
TORSOR_MINIMAL_SIZE(torsor_state, min_pivot);
TORSOR_MINIMAL_SIZE(torsor_param, choices);
TORSOR_MINIMAL_SIZE(torsor_sizes, n_memory);
TORSOR_MINIMAL_SIZE(torsor_host, get_service);
TORSOR_MINIMAL_SIZE(torsor_plugin, destroy);
TORSOR_MINIMAL_SIZE(torsor_descriptor, create);

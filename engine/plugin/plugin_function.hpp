#pragma once
// The functions of the plugin ABI that the host calls, for messages and for the limit of first
// calls.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace torsor {

// A function of the plugin ABI: its name, and its bit among all functions.
struct PluginFunction {
  static constexpr std::string_view names[] = {"create",           "destroy",
                                               "set_param",        "set_frames",
                                               "prepare",          "get_interface",
                                               "evaluate",         "describe",
                                               "inverse_partials", "forward_partials",
                                               "second_partials",  "rates",
                                               "equation_rates",   "trace"};
  // The number of functions that have a row in the table of quantities, at most.
  static constexpr size_t max_quantities = 64 - std::size(names);

  // One of the names above. Any other name is a compile-time error.
  consteval PluginFunction(const char* name) : text(name), bit(bit_of(name)) {}
  // A member of torsor_solver, with the number of its row in the table of quantities.
  constexpr PluginFunction(const char* name, size_t quantity)
      : text(name), bit(uint64_t(1) << (std::size(names) + quantity)) {}

  const char* text;
  uint64_t bit;

 private:
  static consteval uint64_t bit_of(std::string_view name) {
    for (size_t k = 0; k < std::size(names); ++k)
      if (names[k] == name) return uint64_t(1) << k;
    throw "no function has this name; a quantity is named by function_of()";
  }
};

}  // namespace torsor

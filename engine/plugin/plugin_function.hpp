#pragma once
// The functions of the plugin ABI that the host calls: names for messages, and bits for the time
// limit of first calls.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace torsor {

// A function of the plugin ABI: its name, and the bit that identifies it in a 64-bit set.
struct PluginFunction {
  static constexpr std::string_view names[] = {"create",           "destroy",
                                               "set_param",        "set_frames",
                                               "prepare",          "get_interface",
                                               "evaluate",         "describe",
                                               "inverse_partials", "forward_partials",
                                               "second_partials",  "rates",
                                               "equation_rates",   "trace",
                                               "work_size",        "solve"};
  // Maximum number of rows in the table of quantities. Each row has a function.
  static constexpr size_t max_quantities = 64 - std::size(names);

  // A function in `names`. Any other name is a compile-time error.
  consteval PluginFunction(const char* name) : text(name), bit(bit_of(name)) {}
  // A member function of torsor_solver. quantity: the index of its row in the table of quantities.
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

#pragma once
// An optional C++20 layer over the C interface in torsor_plugin.h and ext/. A plugin is a struct.
// Example of a solver:
//
//   namespace {
//   struct Pendulum {
//     static constexpr const char* id = "solver.pendulum";
//     static constexpr const char* version = "1.0";
//     static constexpr const char* summary = "closed form of one hinge";
//
//     void prepare(const torsor_model& model, torsor_sizes& sizes) {  // [setup], optional
//       if (model.n_v != 1) throw torsor::sdk::unsupported("it supports only one joint");
//       sizes.work_doubles = 0;
//     }
//     torsor_status inverse(const torsor_model&, const torsor_state&, const double* vdot,
//                           double* work, double* tau) const;         // [hot]
//   };
//   }  // namespace
//   TORSOR_PLUGINS(Pendulum)
//
// A plugin may have the following members. The layer finds each member by its name.
//
// All plugins:
//   static family          const char*: the only model family that it supports
//   static params          array of torsor_param
//   set_param              (uint32_t index, std::span<const double> values)
//   set_frames             (uint32_t index, std::span<const torsor_frame>), for type TORSOR_FRAME
//   prepare                (model, sizes): computes tables of the model, requests the work area
//
// The members of each kind of plugin are listed in ext/KIND.hpp. The kind is the first part of the
// id.
//
// A member with one of these names but another signature does not compile. prepare(), set_param()
// and set_frames() return nothing. For an error they throw unsupported(), bad_argument() or any
// std::exception. The layer converts it to a status and a report. Define the struct in an unnamed
// namespace, so that the file exports only torsor_plugin_entry.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/constraint_solver.hpp"
#include "torsor/sdk/ext/controller.hpp"
#include "torsor/sdk/ext/force.hpp"
#include "torsor/sdk/ext/host_dynamics.h"
#include "torsor/sdk/ext/solver.hpp"
#include "torsor/sdk/ext/solver_batch.hpp"
#include "torsor/sdk/ext/solver_partials.hpp"
#include "torsor/sdk/ext/solver_rates.hpp"
#include "torsor/sdk/ext/solver_trace.hpp"
#include "torsor/sdk/ext/trajectory.hpp"
#include "torsor/sdk/param_rows.hpp"

namespace torsor::sdk::detail {

template <class... Interface>
struct InterfaceList {
  // Returns the table of the interface with this id, or NULL if P does not offer it.
  template <class P>
  static const void* find(const char* id) {
    static_assert(((Interface::kind == kind_of<P>()) || ...),
                  "the id of a plugin begins with its kind and a dot, such as \"solver.\"");
    const void* found = nullptr;
    ((found = table_of<Interface, P>(id)) || ...);
    return found;
  }

 private:
  template <class I, class P>
  static const void* table_of([[maybe_unused]] const char* id) {
    if constexpr (I::kind == kind_of<P>()) {
      if constexpr (I::template is_offered<P>())
        if (std::strcmp(id, I::id) == 0) return &I::template table<P>;
    }
    return nullptr;
  }
};
using Interfaces = InterfaceList<SolverInterface, PartialsInterface, RatesInterface, BatchInterface,
                                 TraceInterface, ForceInterface, ControllerInterface,
                                 TrajectoryInterface, ConstraintSolverInterface>;

template <class P>
const void* Adapter<P>::get_interface(const torsor_plugin*, const char* id) {
  return Interfaces::find<P>(id);
}

template <class P>
constexpr torsor_descriptor describe() {
  torsor_descriptor d{};
  d.struct_size = sizeof(torsor_descriptor);
  d.id = P::id;
  d.version = P::version;
  d.summary = P::summary;
  d.family = "";
  if constexpr (requires { P::family; }) d.family = P::family;
  if constexpr (requires { P::params; }) {
    d.n_param = uint32_t(std::size(P::params));
    d.param = std::data(P::params);
  }
  d.create = Adapter<P>::create;
  return d;
}
template <class P>
inline constexpr torsor_descriptor descriptor = describe<P>();
template <class... P>
inline constexpr const torsor_descriptor* descriptors[] = {&descriptor<P>...};
template <class... P>
inline constexpr torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, sizeof...(P),
                                       descriptors<P...>};

// The ELF note of TORSOR_NOTE. Its list contains "id version" of each plugin, separated by
// newlines.
constexpr size_t length(const char* text) {
  return std::char_traits<char>::length(text);
}
template <class... P>
struct Note {
  uint32_t owner_size = 7, size = 8 + sizeof list, type = TORSOR_NOTE_TYPE;
  char owner[8] = "Torsor";
  uint32_t abi_major = TORSOR_ABI_MAJOR, abi_minor = TORSOR_ABI_MINOR;
  char list[((length(P::id) + length(P::version) + 2) + ...)] = {};

  constexpr Note() {
    char* at = list;
    const auto write = [&](const char* text, char end) {
      for (; *text; ++text) *at++ = *text;
      *at++ = end;
    };
    ((write(P::id, ' '), write(P::version, '\n')), ...);
    at[-1] = '\0';
  }
};

}  // namespace torsor::sdk::detail

// Defines torsor_plugin_entry() and the ELF note of a file that offers the given structs as
// plugins.
#define TORSOR_PLUGINS(...)                                                         \
  extern "C" TORSOR_EXPORT const torsor_entry* torsor_plugin_entry(void) {          \
    return &torsor::sdk::detail::entry<__VA_ARGS__>;                                \
  }                                                                                 \
  namespace {                                                                       \
  constexpr torsor::sdk::detail::Note<__VA_ARGS__> torsor_note TORSOR_NOTE_SECTION; \
  }

#pragma once
// Adapter, the C object of a plugin that is written as a C++ struct P. Finds the members of P by
// their names at compile time, and converts exceptions to a status and a report. The headers in
// ext/ use it to build the function table of each interface.

#include <algorithm>
#include <concepts>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "torsor/sdk/struct_sizes.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::sdk {

// An error of a [setup] call: a reason and the status that the host receives.
struct Failure : std::runtime_error {
  Failure(torsor_status code, const std::string& reason)
      : std::runtime_error(reason), status(code) {}
  torsor_status status;
};
inline Failure unsupported(const std::string& reason) {
  return {TORSOR_UNSUPPORTED, reason};
}
inline Failure bad_argument(const std::string& reason) {
  return {TORSOR_BAD_ARGUMENT, reason};
}

namespace detail {

// Calls a function and converts its exceptions to a status and a report to the host. Exceptions
// must not cross the C boundary.
template <class Function>
torsor_status guarded(const torsor_host* host, Function&& function) noexcept {
  try {
    return function();
  } catch (const Failure& failure) {
    host->report(host, failure.status, failure.what());
    return failure.status;
  } catch (const std::bad_alloc&) {
    host->report(host, TORSOR_INTERNAL, "out of memory");
  } catch (const std::exception& error) {
    host->report(host, TORSOR_INTERNAL, error.what());
  } catch (...) {
    host->report(host, TORSOR_INTERNAL, "an exception that is not a std::exception");
  }
  return TORSOR_INTERNAL;
}

// Calls write(out) to fill a struct of the host, and returns its status. If the host is older than
// the plugin, its struct is shorter. The plugin then writes to a copy, and the host receives the
// part that fits. Throws unsupported if the plugin sets a member that the host does not have.
template <class Struct, class Write>
torsor_status write_covered(Struct* out, Write&& write) {
  const size_t covered = out->struct_size;
  if (covered >= sizeof(Struct)) return write(*out);
  Struct own;
  std::memset(&own, 0, sizeof own);  // also the padding, which is compared below
  std::memcpy(&own, out, covered);
  const torsor_status status = write(own);
  if (status != TORSOR_OK) return status;
  std::memcpy(out, &own, covered);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&own);
  if (std::any_of(bytes + covered, bytes + sizeof(Struct), [](unsigned char b) { return b != 0; }))
    throw unsupported("it needs a later version of Torsor; update Torsor");
  return status;
}

// Defines Call_NAME. Call_NAME::named<P> is true if P has a member NAME. Call_NAME::call(p, ..)
// calls p.NAME(..).
#define TORSOR_SDK_MEMBER(NAME)                                                    \
  struct Call_##NAME {                                                             \
    template <class P>                                                             \
    static constexpr bool named = requires {                                       \
      &P::NAME;                                                                    \
    };                                                                             \
    template <class P, class... A>                                                 \
    static auto call(P& p, A&&... a) -> decltype(p.NAME(static_cast<A&&>(a)...)) { \
      return p.NAME(static_cast<A&&>(a)...);                                       \
    }                                                                              \
  };
TORSOR_SDK_MEMBER(set_param)
TORSOR_SDK_MEMBER(set_frames)
TORSOR_SDK_MEMBER(prepare)
TORSOR_SDK_MEMBER(evaluate)

template <class P, class Member, class Result, class... A>
concept Callable = requires(P& p, A... a) {
  { Member::call(p, static_cast<A>(a)...) } -> std::same_as<Result>;
};
// Returns whether P has the member. A member with this name but another signature is a compile-time
// error.
template <class P, class Member, class Result, class... A>
constexpr bool has_member() {
  constexpr bool callable = Callable<P, Member, Result, A...>;
  static_assert(callable || !Member::template named<P>,
                "a plugin's member has the right name but not the signature (or constness) in "
                "torsor_plugin.hpp or ext/");
  return callable;
}

// The object of a plugin: its C function table, the host, and the struct P.
template <class P>
struct Adapter {
  torsor_plugin table;
  const torsor_host* host;
  P plugin{};

  explicit Adapter(const torsor_host* h)
      : table{sizeof(torsor_plugin), this, set_param, set_frames, prepare, get_interface, destroy},
        host(h) {}

  static Adapter& of(const torsor_plugin* p) { return *static_cast<Adapter*>(p->self); }
  static torsor_status set_param(torsor_plugin* p, uint32_t index, const double* values,
                                 uint32_t count);
  static torsor_status set_frames(torsor_plugin* p, uint32_t index, const torsor_frame* frames,
                                  uint32_t count);
  static torsor_status prepare(torsor_plugin* p, const torsor_model* model, torsor_sizes* out);
  static const void* get_interface(const torsor_plugin* p, const char* id);
  static void destroy(torsor_plugin* p) { delete &of(p); }
  static torsor_plugin* create(const torsor_host* host) noexcept;
};

template <class P>
torsor_status Adapter<P>::set_param(torsor_plugin* p, uint32_t index, const double* values,
                                    uint32_t count) {
  constexpr bool settable =
      has_member<P, Call_set_param, void, uint32_t, std::span<const double>>();
  static_assert((settable || Call_set_frames::template named<P>) == requires { P::params; },
                "params and what sets them come together");
  return guarded(of(p).host, [&]() -> torsor_status {
    if constexpr (settable) {
      if (index >= std::size(P::params)) throw bad_argument("there is no parameter of this index");
      of(p).plugin.set_param(index, std::span<const double>(values, count));
      return TORSOR_OK;
    } else {
      throw bad_argument("this plugin has no parameters");
    }
  });
}

template <class P>
torsor_status Adapter<P>::set_frames(torsor_plugin* p, uint32_t index, const torsor_frame* frames,
                                     uint32_t count) {
  return guarded(of(p).host, [&]() -> torsor_status {
    if constexpr (has_member<P, Call_set_frames, void, uint32_t, std::span<const torsor_frame>>()) {
      of(p).plugin.set_frames(index, std::span<const torsor_frame>(frames, count));
      return TORSOR_OK;
    } else {
      throw bad_argument("this plugin takes no frames");
    }
  });
}

template <class P>
torsor_status Adapter<P>::prepare(torsor_plugin* p, const torsor_model* model, torsor_sizes* out) {
  return guarded(of(p).host, [&]() -> torsor_status {
    return write_covered(out, [&](torsor_sizes& sizes) -> torsor_status {
      if constexpr (Callable<P, Call_prepare, void, const torsor_model&, torsor_sizes&,
                             const torsor_host&>)
        of(p).plugin.prepare(*model, sizes, *of(p).host);
      else if constexpr (has_member<P, Call_prepare, void, const torsor_model&, torsor_sizes&>())
        of(p).plugin.prepare(*model, sizes);
      return TORSOR_OK;
    });
  });
}

template <class P>
torsor_plugin* Adapter<P>::create(const torsor_host* host) noexcept {
  torsor_plugin* made = nullptr;
  guarded(host, [&]() -> torsor_status {
    made = &(new Adapter(host))->table;
    return TORSOR_OK;
  });
  return made;
}

// The C function of a hot call. Calls one const member of P.
template <class P, class Member, class... A>
torsor_status hot(const torsor_plugin* p, const torsor_model* model, const torsor_state* state,
                  A... a) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] { return Member::call(adapter.plugin, *model, *state, a...); });
}
// Returns whether P has the member for a slot of a function table. slot: its value is not used. It
// could not be compared with null here: with sanitizers, gcc 12 does not accept the comparison of a
// function's address as a constant.
template <class P, class Member, class... A>
constexpr bool offers(torsor_status (*)(const torsor_plugin*, const torsor_model*,
                                        const torsor_state*, A...)) {
  return has_member<const P, Member, torsor_status, const torsor_model&, const torsor_state&,
                    A...>();
}
// Sets a slot of a function table to hot<P, Member>, if P has this member.
template <class P, class Member, class... A>
constexpr void offer(torsor_status (*&slot)(const torsor_plugin*, const torsor_model*,
                                            const torsor_state*, A...)) {
  constexpr std::remove_reference_t<decltype(slot)> unset = nullptr;
  if constexpr (offers<P, Member>(unset)) slot = &hot<P, Member, A...>;
}

// Returns the kind in the id of a plugin P: "solver" for "solver.pendulum".
template <class P>
constexpr std::string_view kind_of() {
  constexpr std::string_view id = P::id;
  return id.substr(0, id.find('.'));
}

// Each header ext/NAME.hpp ends with a struct that describes an interface for the list in
// torsor_plugin.hpp. Its members are:
//   kind             the kind of the plugins that may offer the interface
//   id               the id of the interface
//   table<P>         the function table that is made from the members of P
//   is_offered<P>()  returns whether P offers the interface. A plugin of the kind that lacks a
//                    required member is a compile-time error

}  // namespace detail
}  // namespace torsor::sdk

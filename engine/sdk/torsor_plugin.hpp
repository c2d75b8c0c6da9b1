#pragma once
// A C++20 layer over torsor_plugin.h and ext/. It is optional: the interface is those headers. A
// plugin is a struct, here a solver:
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
// A plugin may have these members. Each is found by its name.
//
// All plugins:
//   static family          const char*: the only model family that it supports
//   static params          array of torsor_param
//   set_param              (uint32_t index, std::span<const double> values)
//   set_frames             (uint32_t index, std::span<const torsor_frame>), for type TORSOR_FRAME
//   prepare                (model, sizes): computes tables of the model, requests the work area
//
// Solvers ("solver.name"); all are const and return torsor_status:
//   inverse, forward       (model, state, in, work, out)
//   mass_matrix, inverse_mass_matrix, coriolis_matrix, gravity, bias, christoffel_symbols
//                          (model, state, work, out)
//   inverse_partials       (model, state, vdot, work, dtau_dq, dtau_dv)
//   forward_partials       (model, state, tau, work, dvdot_dq, dvdot_dv, dvdot_dtau)
//   second_partials        (model, state, vdot, work, d2tau_dqdq, d2tau_dvdq, d2tau_dvdv, dM_dq)
//   rates                  (model, state, const torsor_motion_rates*, work, tau)
//   static max_rate_order  int32_t, required by rates
//   equation_rates         (model, state, const torsor_motion_rates*, work, torsor_equation_rates*)
//   trace                  (model, state, given, work, out)
//   static trace_passes    array of torsor_trace_pass, required by trace
//   static trace_of_forward   bool, required by trace
//
// Forces ("force.name"); force_view.hpp has tools:
//   evaluate               const, (model, state, kinematics, x, work, out)
//   static is_contact      bool: the energy ledger counts its work as contact
//
// Controllers ("controller.name"); control_view.hpp has tools:
//   prepare                may have a third argument, const torsor_host&, for host services
//   control                const, (model, input, work, out)
//   static reference, all_joints, signals, smoothness, of_motors
//                          as in torsor_controller; default: joints, false, none, 0, false
//
// Trajectories ("trajectory.name"):
//   describe               const, (torsor_motion&); returns nothing, throws errors
//   evaluate               const, (t, order, work, out)
//
// A member with one of these names but another signature does not compile. prepare(), set_param()
// and set_frames() return nothing. They throw unsupported(), bad_argument() or any std::exception,
// which becomes a status and one report. Keep the struct in an unnamed namespace, so that only the
// entry is exported.

#include <algorithm>
#include <concepts>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

#include "torsor/sdk/ext/controller.h"
#include "torsor/sdk/ext/force.h"
#include "torsor/sdk/ext/host_dynamics.h"
#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/solver_partials.h"
#include "torsor/sdk/ext/solver_rates.h"
#include "torsor/sdk/ext/solver_trace.h"
#include "torsor/sdk/ext/trajectory.h"

namespace torsor::sdk {

// The error of a [setup] call: its reason, and the status that the host receives.
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

// Rows for `static constexpr torsor_param params[]`. A count of 0 allows any number of values.
constexpr torsor_param real(const char* name, const char* unit, const char* help, double min,
                            double max, double initial, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_REAL, name, unit, help, min, max, initial, count, nullptr};
}
constexpr torsor_param integer(const char* name, const char* help, double min, double max,
                               double initial, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_INTEGER, name, "", help, min, max, initial, count, nullptr};
}
constexpr torsor_param flag(const char* name, const char* help, bool initial) {
  return {sizeof(torsor_param), TORSOR_FLAG, name, "", help, 0, 1, initial ? 1.0 : 0.0, 1, nullptr};
}
// A parameter with [N - 1] names and a terminating NULL. `initial` is the number of a name.
template <size_t N>
constexpr torsor_param choice(const char* name, const char* help, const char* const (&choices)[N],
                              uint32_t initial) {
  return {sizeof(torsor_param), TORSOR_CHOICE,   name, "",     help, 0,
          double(N - 2),        double(initial), 1,    choices};
}
// A signal of `count` numbers; 0 means one number per dof.
constexpr torsor_signal signal(const char* name, const char* unit, uint32_t count) {
  return {sizeof(torsor_signal), count, 0, name, unit};
}
constexpr torsor_signal acceleration_signal(const char* name) {
  return {sizeof(torsor_signal), 0, 1, name, "1/s^2"};
}
constexpr torsor_param frame(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_FRAME, name, "", help, 0, 0, 0, count, nullptr};
}
// Parameters without a default: required (count 1) or optional (count 0).
constexpr torsor_param configuration(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_CONFIGURATION, name, "", help, 0, 0, 0, count, nullptr};
}
constexpr torsor_param path(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_PATH, name, "", help, 0, 0, 0, count, nullptr};
}
constexpr torsor_param table(const char* name, const char* unit, const char* help, double min,
                             double max, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_TABLE, name, unit, help, min, max, min, count, nullptr};
}
constexpr torsor_param pose(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_POSE, name, "", help, 0, 0, 0, count, nullptr};
}
// The value of max for a parameter without an upper limit.
inline constexpr double no_limit = std::numeric_limits<double>::max();

namespace detail {

// Calls a function and converts its exceptions to a status and a report. No exception crosses the C
// boundary.
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

// Calls write(out) for a struct of the host. The struct of an older host is shorter than the one
// that the plugin knows: the plugin then writes to a copy, and the host receives the part that its
// struct covers. Throws unsupported if the plugin sets a member that the host does not know.
template <class Struct, class Write>
torsor_status write_covered(Struct* out, Write&& write) {
  Struct own{};
  const size_t covered = out->struct_size;
  const bool is_older = covered < sizeof(Struct);
  if (is_older) std::memcpy(&own, out, covered);
  const torsor_status status = write(is_older ? own : *out);
  if (!is_older) return status;
  std::memcpy(out, &own, covered);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&own);
  if (std::any_of(bytes + covered, bytes + sizeof(Struct), [](unsigned char b) { return b != 0; }))
    throw unsupported("it needs a later version of Torsor; update Torsor");
  return status;
}

// Call_NAME::named is true if P has a member NAME, and Call_NAME::call calls it.
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
TORSOR_SDK_MEMBER(inverse)
TORSOR_SDK_MEMBER(forward)
TORSOR_SDK_MEMBER(mass_matrix)
TORSOR_SDK_MEMBER(inverse_mass_matrix)
TORSOR_SDK_MEMBER(coriolis_matrix)
TORSOR_SDK_MEMBER(gravity)
TORSOR_SDK_MEMBER(bias)
TORSOR_SDK_MEMBER(christoffel_symbols)
TORSOR_SDK_MEMBER(inverse_partials)
TORSOR_SDK_MEMBER(forward_partials)
TORSOR_SDK_MEMBER(second_partials)
TORSOR_SDK_MEMBER(rates)
TORSOR_SDK_MEMBER(equation_rates)
TORSOR_SDK_MEMBER(trace)
TORSOR_SDK_MEMBER(evaluate)
TORSOR_SDK_MEMBER(control)
TORSOR_SDK_MEMBER(describe)
#undef TORSOR_SDK_MEMBER

template <class P, class Member, class Result, class... A>
concept Callable = requires(P& p, A... a) {
  { Member::call(p, static_cast<A>(a)...) } -> std::same_as<Result>;
};
// Returns true if the plugin has the member. A member with another signature is a compile-time
// error.
template <class P, class Member, class Result, class... A>
constexpr bool has_member() {
  constexpr bool callable = Callable<P, Member, Result, A...>;
  static_assert(callable || !Member::template named<P>,
                "a plugin's member has the right name but not the signature (or constness) of "
                "torsor_plugin.hpp");
  return callable;
}

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

// The C function of a hot call: it calls one const member of P.
template <class P, class Member, class... A>
torsor_status hot(const torsor_plugin* p, const torsor_model* model, const torsor_state* state,
                  A... a) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] { return Member::call(adapter.plugin, *model, *state, a...); });
}
// Sets a slot of a table to the function of a member. Returns false if P has no such member.
template <class P, class Member, class... A>
constexpr bool offer(torsor_status (*&slot)(const torsor_plugin*, const torsor_model*,
                                            const torsor_state*, A...)) {
  constexpr bool offered =
      has_member<const P, Member, torsor_status, const torsor_model&, const torsor_state&, A...>();
  if constexpr (offered) slot = &hot<P, Member, A...>;
  return offered;
}

// A table of an interface, and a flag that is true if the plugin has all required members. The host
// derives the optional ones.
template <class Table>
struct Offered {
  Table table;
  bool complete;
};

template <class P>
constexpr Offered<torsor_solver> make_solver() {
  torsor_solver table{};
  table.struct_size = sizeof(torsor_solver);
  const bool inverse = offer<P, Call_inverse>(table.inverse);
  const bool forward = offer<P, Call_forward>(table.forward);
  offer<P, Call_mass_matrix>(table.mass_matrix);
  offer<P, Call_inverse_mass_matrix>(table.inverse_mass_matrix);
  offer<P, Call_coriolis_matrix>(table.coriolis_matrix);
  offer<P, Call_gravity>(table.gravity);
  offer<P, Call_bias>(table.bias);
  offer<P, Call_christoffel_symbols>(table.christoffel_symbols);
  return {table, inverse || forward};
}
template <class P>
inline constexpr Offered<torsor_solver> solver_table = make_solver<P>();

template <class P>
constexpr Offered<torsor_solver_partials> make_partials() {
  torsor_solver_partials table{};
  table.struct_size = sizeof(torsor_solver_partials);
  const bool inverse = offer<P, Call_inverse_partials>(table.inverse_partials);
  offer<P, Call_forward_partials>(table.forward_partials);
  offer<P, Call_second_partials>(table.second_partials);
  return {table, inverse};
}
template <class P>
inline constexpr Offered<torsor_solver_partials> partials_table = make_partials<P>();

template <class P>
constexpr Offered<torsor_solver_rates> make_rates() {
  torsor_solver_rates table{};
  table.struct_size = sizeof(torsor_solver_rates);
  const bool offered = offer<P, Call_rates>(table.rates);
  if constexpr (requires { P::max_rate_order; }) table.max_order = P::max_rate_order;
  offer<P, Call_equation_rates>(table.equation_rates);
  return {table, offered};
}
template <class P>
inline constexpr Offered<torsor_solver_rates> rates_table = make_rates<P>();

template <class P>
constexpr Offered<torsor_solver_trace> make_trace() {
  torsor_solver_trace table{};
  table.struct_size = sizeof(torsor_solver_trace);
  const bool offered = offer<P, Call_trace>(table.trace);
  if constexpr (requires { P::trace_passes; }) {
    table.of_forward = P::trace_of_forward;
    table.n_pass = uint32_t(std::size(P::trace_passes));
    table.pass = std::data(P::trace_passes);
  }
  return {table, offered};
}
template <class P>
inline constexpr Offered<torsor_solver_trace> trace_table = make_trace<P>();

template <class P>
torsor_status evaluate_force(const torsor_plugin* p, const torsor_model* model,
                             const torsor_state* state, const torsor_kinematics* kinematics,
                             const double* x, double* work, torsor_force_out* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] {
    return write_covered(out, [&](torsor_force_out& force) {
      return adapter.plugin.evaluate(*model, *state, kinematics, x, work, &force);
    });
  });
}
template <class P>
constexpr Offered<torsor_force> make_force() {
  torsor_force table{};
  table.struct_size = sizeof(torsor_force);
  constexpr bool offered =
      has_member<const P, Call_evaluate, torsor_status, const torsor_model&, const torsor_state&,
                 const torsor_kinematics*, const double*, double*, torsor_force_out*>();
  if constexpr (offered) table.evaluate = &evaluate_force<P>;
  if constexpr (requires { P::is_contact; }) table.is_contact = P::is_contact;
  return {table, offered};
}
template <class P>
inline constexpr Offered<torsor_force> force_table = make_force<P>();

template <class P>
torsor_status control(const torsor_plugin* p, const torsor_model* model,
                      const torsor_control_input* input, double* work, torsor_control_output* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] { return adapter.plugin.control(*model, *input, work, *out); });
}
template <class P>
constexpr Offered<torsor_controller> make_controller() {
  torsor_controller table{};
  table.struct_size = sizeof(torsor_controller);
  table.reference = TORSOR_REFERENCE_JOINTS;
  if constexpr (requires { P::reference; }) table.reference = P::reference;
  if constexpr (requires { P::all_joints; }) table.all_joints = P::all_joints;
  if constexpr (requires { P::smoothness; }) table.smoothness = P::smoothness;
  if constexpr (requires { P::of_motors; }) table.of_motors = P::of_motors;
  if constexpr (requires { P::signals; }) {
    table.n_signal = uint32_t(std::size(P::signals));
    table.signal = std::data(P::signals);
  }
  constexpr bool offered =
      has_member<const P, Call_control, torsor_status, const torsor_model&,
                 const torsor_control_input&, double*, torsor_control_output&>();
  if constexpr (offered) table.evaluate = &control<P>;
  return {table, offered};
}
template <class P>
inline constexpr Offered<torsor_controller> controller_table = make_controller<P>();

template <class P>
torsor_status describe_motion(const torsor_plugin* p, torsor_motion* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&]() -> torsor_status {
    static_assert(has_member<const P, Call_describe, void, torsor_motion&>());
    return write_covered(out, [&](torsor_motion& motion) -> torsor_status {
      adapter.plugin.describe(motion);
      return TORSOR_OK;
    });
  });
}
template <class P>
torsor_status evaluate_motion(const torsor_plugin* p, double t, int32_t order, double* work,
                              double* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  static_assert(has_member<const P, Call_evaluate, torsor_status, double, int, double*, double*>(),
                "a trajectory offers describe and evaluate");
  return guarded(adapter.host, [&] { return adapter.plugin.evaluate(t, order, work, out); });
}
template <class P>
inline constexpr torsor_trajectory trajectory_table{sizeof(torsor_trajectory), describe_motion<P>,
                                                    evaluate_motion<P>};

template <class P>
const void* Adapter<P>::get_interface(const torsor_plugin*, const char* id) {
  if constexpr (Call_describe::named<P>) {
    return std::strcmp(id, TORSOR_TRAJECTORY) == 0 ? &trajectory_table<P> : nullptr;
  } else {
    constexpr bool solver = solver_table<P>.complete, partials = partials_table<P>.complete,
                   force = force_table<P>.complete, controller = controller_table<P>.complete;
    static_assert(solver + force + controller == 1,
                  "a solver offers inverse or forward, a force evaluate, a trajectory describe and "
                  "evaluate, a "
                  "controller control");
    static_assert(solver || !partials, "partials are a solver's");
    static_assert(partials || (!Call_forward_partials::template named<P> &&
                               !Call_second_partials::template named<P>),
                  "a solver with other partials has inverse_partials");
    constexpr bool rates = rates_table<P>.complete;
    static_assert(solver || !rates, "rates of inverse dynamics are a solver's");
    static_assert(rates || !Call_equation_rates::template named<P>,
                  "a solver with equation_rates has rates");
    static_assert(
        Call_rates::template named<P> == requires { P::max_rate_order; },
        "rates and max_rate_order come together");
    constexpr bool trace = trace_table<P>.complete;
    static_assert(solver || !trace, "a trace is a solver's");
    static_assert(
        Call_trace::template named<P> == requires { P::trace_passes; },
        "trace and trace_passes come together");
    if (trace && std::strcmp(id, TORSOR_SOLVER_TRACE) == 0) return &trace_table<P>.table;
    if (rates && std::strcmp(id, TORSOR_SOLVER_RATES) == 0) return &rates_table<P>.table;
    if (force && std::strcmp(id, TORSOR_FORCE) == 0) return &force_table<P>.table;
    if (controller && std::strcmp(id, TORSOR_CONTROLLER) == 0) return &controller_table<P>.table;
    if (solver && std::strcmp(id, TORSOR_SOLVER) == 0) return &solver_table<P>.table;
    if (partials && std::strcmp(id, TORSOR_SOLVER_PARTIALS) == 0) return &partials_table<P>.table;
    return nullptr;
  }
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

// The list for TORSOR_NOTE: "id version" of each plugin, separated by newlines.
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

}  // namespace detail
}  // namespace torsor::sdk

// Defines the entry of a plugin file that offers the given structs.
#define TORSOR_PLUGINS(...)                                                         \
  extern "C" TORSOR_EXPORT const torsor_entry* torsor_plugin_entry(void) {          \
    return &torsor::sdk::detail::entry<__VA_ARGS__>;                                \
  }                                                                                 \
  namespace {                                                                       \
  constexpr torsor::sdk::detail::Note<__VA_ARGS__> torsor_note TORSOR_NOTE_SECTION; \
  }

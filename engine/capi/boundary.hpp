#pragma once
// The boundary of the C interface: exceptions become results and texts, and structs of callers that
// were compiled with another version are read and written within their sizes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "torsor/base/error.hpp"
#include "torsor/capi/torsor.h"

namespace torsor::capi {

// Writes the result and the text to `error`, within its size. error may be null.
void set_error(torsor_error* error, torsor_result result, const char* text) noexcept;
// Writes the exception that is being handled to `error`, and returns its result.
torsor_result set_current_exception(torsor_error* error) noexcept;

// Calls function() and converts its exceptions.
template <class Function>
torsor_result guarded(torsor_error* error, Function function) noexcept {
  try {
    function();
    if (error) set_error(error, TORSOR_SUCCESS, "");
    return TORSOR_SUCCESS;
  } catch (...) {
    return set_current_exception(error);
  }
}

// Calls make(), which returns a new object, and stores it in *out, or null after an exception.
template <class Object, class Function>
torsor_result create(Object** out, torsor_error* error, Function make) noexcept {
  if (out) *out = nullptr;
  return guarded(error, [&] {
    if (!out) throw Error("out: it is NULL; give the address of a handle");
    *out = make();
  });
}

// Throws Error if a pointer is null. name: the argument in the message.
inline void require_pointer(const void* pointer, const char* name) {
  if (!pointer) throw Error(fmt::format("{}: it is NULL", name));
}
// Throws Error if a number is not finite, or if x is null and n > 0.
inline void require_numbers(const double* x, size_t n, const char* name) {
  if (n > 0) require_pointer(x, name);
  for (size_t i = 0; i < n; ++i)
    if (!std::isfinite(x[i]))
      throw Error(fmt::format("{}[{}] is {}; give a finite number", name, i, x[i]));
}

// Throws Error if a struct has no valid size, or if members that this version does not know are
// set.
void check_struct(const void* bytes, size_t size, size_t known, const char* name);

// Returns a copy of a struct of the caller. Members beyond its struct_size are zero. Null is a
// struct of zeros.
template <class Struct>
Struct read_struct(const Struct* given, const char* name) {
  Struct out{};
  if (!given) return out;
  check_struct(given, given->struct_size, sizeof out, name);
  std::memcpy(&out, given, std::min<size_t>(given->struct_size, sizeof out));
  return out;
}
// Writes a struct of the caller, within its struct_size, which stays as it is.
template <class Struct>
void write_struct(Struct* out, Struct value, const char* name) {
  require_pointer(out, name);
  if (out->struct_size < sizeof out->struct_size)
    throw Error(
        fmt::format("{}: struct_size is {}; set it to sizeof *{}", name, out->struct_size, name));
  value.struct_size = out->struct_size;
  std::memcpy(out, &value, std::min<size_t>(out->struct_size, sizeof value));
}

// Returns a string of the caller, or "" if it is null.
inline const char* text_or_empty(const char* text) {
  return text ? text : "";
}

}  // namespace torsor::capi

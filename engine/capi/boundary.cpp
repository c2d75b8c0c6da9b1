#include "torsor/capi/boundary.hpp"

#include <new>

#include "torsor/base/text.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::capi {

void set_error(torsor_error* error, torsor_result result, const char* text) noexcept {
  constexpr size_t head = offsetof(torsor_error, text);
  if (!error || error->struct_size <= head) return;
  error->result = result;
  const size_t whole = std::strlen(text);
  size_t length = std::min<size_t>(whole, error->struct_size - head - 1);
  // A cut text ends before a character of UTF-8, not inside of it: its later bytes are 10xxxxxx.
  const auto is_inside = [&](size_t k) { return (uint8_t(text[k]) & 0xc0) == 0x80; };
  while (length < whole && length > 0 && is_inside(length)) --length;
  char* to = reinterpret_cast<char*>(error) + head;
  std::memcpy(to, text, length);
  // The text is one line: names of the caller may contain newlines.
  std::replace_if(
      to, to + length, [](char c) { return uint8_t(c) < 0x20 || c == 0x7f; }, ' ');
  to[length] = '\0';
}

torsor_result set_current_exception(torsor_error* error) noexcept {
  const auto fail = [&](torsor_result result, const char* text) {
    set_error(error, result, text);
    return result;
  };
  try {
    throw;
  } catch (const Stopped&) {
    return fail(TORSOR_STOPPED, "stopped by the progress function");
  } catch (const Error& exception) {
    return fail(TORSOR_USER_ERROR, exception.what());
  } catch (const std::bad_alloc&) {
    return fail(TORSOR_OUT_OF_MEMORY,
                "not enough memory; use a smaller robot, or request less at a time");
  } catch (const std::length_error&) {
    return fail(TORSOR_OUT_OF_MEMORY, "a request exceeds the memory of every machine");
  } catch (const std::exception& exception) {
    return fail(TORSOR_INTERNAL_ERROR, exception.what());
  } catch (...) {
    return fail(TORSOR_INTERNAL_ERROR, "an unknown exception");
  }
}

void check_struct(const void* bytes, size_t size, size_t known, const char* name) {
  constexpr size_t most = 65536;
  if (size < sizeof(uint32_t) || size > most)
    throw Error(fmt::format("{}: struct_size is {}; set it to the size of the struct", name, size));
  const auto* first = static_cast<const char*>(bytes);
  for (size_t i = known; i < size; ++i)
    if (first[i] != 0)
      throw Error(fmt::format(
          "{}: it sets members of a later version of the interface; install a later libtorsor",
          name));
}

}  // namespace torsor::capi

// exit() and _exit() of this program. They replace those of libc for plugins too, since the loader
// looks here first. Otherwise a plugin that calls exit() would end a run silently, with the status
// of success.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "torsor/host/crash_guard.hpp"

namespace {

[[noreturn]] void end_by(const char* function, int status) {
  torsor::break_off_ending_call(function);
  reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, function))(status);
  __builtin_unreachable();
}

}  // namespace

extern "C" {
void exit(int status) noexcept {
  end_by("exit", status);
}
void _exit(int status) {
  end_by("_exit", status);
}
}

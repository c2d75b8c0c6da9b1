// For breaking.c, which is C: an exception that leaves the plugin.

#include <stdexcept>

extern "C" void throw_out() {
  throw std::runtime_error("thrown out");
}

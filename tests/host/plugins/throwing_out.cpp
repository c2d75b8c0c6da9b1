// Throws an exception out of the plugin for breaking.c, which cannot do it in C.

#include <stdexcept>

extern "C" void throw_out() {
  throw std::runtime_error("thrown out");
}

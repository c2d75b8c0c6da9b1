// Throws an exception that leaves the plugin breaking.c. The plugin itself is in C.

#include <stdexcept>

extern "C" void throw_out() {
  throw std::runtime_error("thrown out");
}

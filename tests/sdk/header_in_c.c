/* The header alone, as C11: the same structs and values as in C++ (abi_test.cpp). */
#include "torsor/sdk/torsor_plugin.h"

#define STRUCT(name, minor, size) _Static_assert(sizeof(name) >= (size), #name);
#define MEMBER(structure, name, minor, offset, ...) \
  _Static_assert(offsetof(structure, name) == (offset), #structure "." #name);
#define VALUE(name, minor, value) _Static_assert((name) == (value), #name);
#define TEXT(name, minor, text) _Static_assert(sizeof(name) == sizeof(text), #name);
#include "abi_layout.inc"

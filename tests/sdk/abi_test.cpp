// Old plugin binaries: every struct, value and name that they were built with is where it was; what
// is new stands behind it and is written down in abi_layout.inc. And the page of reference says
// what the header says.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <type_traits>

#include "sdk/abi_page.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::test {
namespace {

#define STRUCT(name, minor, size)
#define MEMBER(structure, name, minor, offset, ...)                                               \
  static_assert(offsetof(structure, name) == offset &&                                            \
                    std::is_same_v<decltype(structure::name), std::type_identity_t<__VA_ARGS__>>, \
                #structure "." #name " is no longer what and where plugins of ABI 1." #minor      \
                           " take it to be");
#define VALUE(name, minor, value) \
  static_assert(name == value,    \
                #name " has no longer the value that plugins of ABI 1." #minor " know");
#define TEXT(name, minor, text)                 \
  static_assert(std::string_view(name) == text, \
                #name " is no longer what plugins of ABI 1." #minor " ask for");
#include "sdk/abi_layout.inc"
#undef STRUCT
#undef MEMBER
#undef VALUE
#undef TEXT

struct Size {
  int minor;
  size_t bytes;
};
struct Member {
  std::string name;
  int minor;
  size_t offset, bytes;
};
struct Layout {
  size_t bytes = 0;  // now
  std::vector<Size> sizes;
  std::vector<Member> members;
};

std::map<std::string, Layout> layouts() {
  std::map<std::string, Layout> out;
#define STRUCT(name, minor, size) \
  out[#name].bytes = sizeof(name), out[#name].sizes.push_back({minor, size});
#define MEMBER(structure, name, minor, offset, ...) \
  out[#structure].members.push_back({#name, minor, offset, sizeof(structure::name)});
#define VALUE(name, minor, value) out[""].members.push_back({#name, minor, 0, 0});
#define TEXT(name, minor, text)
#include "sdk/abi_layout.inc"
#undef STRUCT
#undef MEMBER
#undef VALUE
#undef TEXT
  return out;
}

std::string text_of(const std::string& file) {
  std::ifstream in(TORSOR_SOURCE_DIR "/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::vector<AbiSection> header() {
  return read_header(text_of("engine/sdk/torsor_plugin.h"));
}

TEST(Abi, AStructHasTheSizeThatIsWrittenDownAndGrowsAtItsEndAlone) {
  for (const auto& [name, layout] : layouts()) {
    if (name.empty()) continue;
    EXPECT_EQ(layout.bytes, layout.sizes.back().bytes)
        << name << " has grown: add STRUCT(" << name << ", " << TORSOR_ABI_MINOR << ", "
        << layout.bytes << ")";
    EXPECT_TRUE(layout.sizes.size() == 1 || layout.members[0].name == "struct_size")
        << name << " has no struct_size by which a plugin could see that it has grown";
    for (const Member& member : layout.members)
      for (const Size& size : layout.sizes) {
        const bool inside = member.offset + member.bytes <= size.bytes,
                   before = member.offset < size.bytes;
        EXPECT_TRUE(size.minor >= member.minor ? inside : !before)
            << name << "." << member.name << ", since ABI 1." << member.minor << ", and the "
            << size.bytes << " bytes of the struct in 1." << size.minor
            << ": what is new must not stand where struct_size of older plugins reaches, padding "
               "included";
      }
  }
}

TEST(Abi, WhatTheHeaderDeclaresIsWrittenDown) {
  std::map<std::string, Layout> known = layouts();
  size_t structs = 0;
  for (const AbiSection& section : header())
    for (const AbiItem& item : section.items) {
      structs += !item.name.empty() && !item.rows.empty();
      for (const AbiRow& row : item.rows)
        for (const std::string& name : row.names) {
          const auto& members = known[item.name].members;
          EXPECT_TRUE(std::any_of(members.begin(), members.end(),
                                  [&](const Member& m) { return m.name == name; }))
              << (item.name.empty() ? "add VALUE(" : "add MEMBER(" + item.name + ", ") << name
              << ", " << TORSOR_ABI_MINOR << ", ..) to tests/sdk/abi_layout.inc";
        }
    }
  EXPECT_EQ(structs, known.size() - 1);  // one is of the values
}

TEST(Abi, ThePageOfReferenceSaysWhatTheHeaderSays) {
  const std::map<std::string, Layout> known = layouts();
  const auto since = [&](const std::string& item, const std::string& name) {
    for (const Member& member : known.at(item).members)
      if (member.name == name) return member.minor;
    return int(TORSOR_ABI_MINOR);
  };
  const std::string page = abi_page(header(), TORSOR_ABI_MINOR, since),
                    made = TORSOR_BINARY_DIR "/abi.md";
  std::ofstream(made) << page;
  EXPECT_TRUE(page == text_of("plugins/abi.md"))
      << "plugins/abi.md is out of date; bring it up to date by\n    cp " << made << " "
      << TORSOR_SOURCE_DIR "/plugins/abi.md";
}

}  // namespace
}  // namespace torsor::test

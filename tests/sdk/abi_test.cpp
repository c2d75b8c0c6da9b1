// Tests of the headers of the plugin ABI: their form, the sizes of their structs, and the reference
// page, which must agree with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

#include "sdk/abi_page.hpp"
#include "torsor/sdk/struct_sizes.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the headers in the order of the page, relative to engine/sdk.
std::vector<std::string> header_files() {
  std::vector<std::string> files = {"torsor_plugin.h", "torsor_model.h", "torsor_param.h"}, found;
  const fs::path folder = TORSOR_SOURCE_DIR "/engine/sdk";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (const std::string file = fs::relative(entry.path(), folder).generic_string();
        file.ends_with(".h") && std::ranges::find(files, file) == files.end())
      found.push_back(file);
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
  return files;
}
std::string header_text(const std::string& file) {
  return text_of(TORSOR_SOURCE_DIR "/engine/sdk/" + file);
}
std::vector<AbiHeader> headers() {
  std::vector<AbiHeader> out;
  for (const std::string& file : header_files())
    out.push_back(read_header(file, header_text(file)));
  return out;
}

TEST(Abi, EachHeaderIsShortWithCommentsAboveWhatTheyDescribe) {
  const std::regex trailing(R"(^\s*[^\s/*].*/\*)");
  ASSERT_GT(header_files().size(), 8u);
  for (const std::string& file : header_files()) {
    std::istringstream lines(header_text(file));
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
      ++count;
      EXPECT_FALSE(std::regex_search(line, trailing)) << file << ":" << count << ": " << line;
    }
    EXPECT_LT(count, 150) << file;
  }
}

TEST(Abi, EachFunctionStatesItsThreads) {
  int functions = 0;
  const auto states_threads = AnyOf(HasSubstr("[setup]"), HasSubstr("[hot]"), HasSubstr("[any]"));
  for (const AbiHeader& header : headers())
    for (const AbiSection& section : header.sections)
      for (const AbiItem& item : section.items) {
        if (!item.declaration.empty()) {
          EXPECT_THAT(section.comment, states_threads) << item.name;
        }
        for (const AbiRow& row : item.rows)
          if (row.declaration.find("(*") != row.declaration.npos) {
            ++functions;
            EXPECT_THAT(row.comment, states_threads) << item.name << ": " << row.declaration;
          }
      }
  EXPECT_GT(functions, 30);
}

// Checks a complete struct, one without its last member, one that has only a part of it, and one of
// a later version that has more members.
TEST(Abi, AMemberIsCoveredUpToTheSizeOfTheStruct) {
  torsor_sizes sizes{};
  sizes.struct_size = sizeof sizes;
  EXPECT_TRUE(TORSOR_COVERS(&sizes, n_memory));
  sizes.struct_size = uint32_t(offsetof(torsor_sizes, n_memory));
  EXPECT_FALSE(TORSOR_COVERS(&sizes, n_memory));
  EXPECT_TRUE(TORSOR_COVERS(&sizes, n_x));
  sizes.struct_size = uint32_t(sizeof sizes - 1);
  EXPECT_FALSE(TORSOR_COVERS(&sizes, n_memory));

  struct {
    torsor_sizes known;
    size_t later;
  } larger{};
  larger.known.struct_size = sizeof larger;
  EXPECT_TRUE(TORSOR_COVERS(&larger.known, n_x));
  EXPECT_TRUE(TORSOR_COVERS(&larger.known, n_memory));
}

TEST(Abi, KnownMembersEndWhereTheStructEnds) {
  torsor_sizes sizes{};
  sizes.struct_size = uint32_t(offsetof(torsor_sizes, n_memory));
  sizes.n_x = 3;
  sizes.n_memory = 7;
  EXPECT_EQ(sdk::known_members(sizes).n_x, 3u);
  EXPECT_EQ(sdk::known_members(sizes).n_memory, 0u);
  EXPECT_EQ(sdk::size_defect(sizes), "has 24 bytes, 32 are needed");
  sizes.struct_size = sizeof sizes;
  EXPECT_EQ(sdk::size_defect(sizes), "");
  EXPECT_EQ(sdk::known_members(sizes).n_memory, 7u);
  const struct {
    torsor_sizes known;
    size_t later;
  } rows[] = {{{sizeof rows[0], 1, 2, 3}, 4}, {{sizeof rows[0], 5, 6, 7}, 8}};
  const std::vector<torsor_sizes> known = sdk::known_rows(&rows[0].known, 2);
  EXPECT_EQ(known[1].work_doubles, 5u);
  EXPECT_EQ(known[1].n_memory, 7u);
}

TEST(Abi, TheReferencePageAgreesWithTheHeaders) {
  const std::string page = abi_page(headers(), std::to_string(TORSOR_ABI_MAJOR) + "." +
                                                   std::to_string(TORSOR_ABI_MINOR)),
                    made = TORSOR_BINARY_DIR "/abi.md";
  std::ofstream(made) << page;
  EXPECT_TRUE(page == text_of(TORSOR_SOURCE_DIR "/plugins/abi.md"))
      << "plugins/abi.md is out of date; bring it up to date by\n    cp " << made << " "
      << TORSOR_SOURCE_DIR "/plugins/abi.md";
}

}  // namespace
}  // namespace torsor::test

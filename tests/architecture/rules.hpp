#pragma once
// Rules for the text of the source tree.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

// Returns one line "file:line: what is wrong" for each violation by an include of ROOT/engine,
// ROOT/plugins or ROOT/editor: an upward include, a relative path out of its folder, or a library
// that its room must not use. Also reports each file of engine/ or editor/ that is in no known
// room.
std::vector<std::string> include_violations(const std::filesystem::path& root);

// Returns one line for each place outside engine/model/joint.cpp that distinguishes joint kinds: a
// case label, or a comparison with a kind other than fixed.
std::vector<std::string> joint_kind_violations(const std::filesystem::path& root);

// Returns one line for each folder of engine/ and editor/ with too many files.
std::vector<std::string> crowded_rooms(const std::filesystem::path& root);

// Returns one line for each place in ROOT/tests that waits for a fixed time: the word sleep or a
// function like sleep_for. Tests wait for conditions with eventually() of support/eventually.hpp,
// or with functions of shell scripts whose names begin with "wait_". Only these may sleep between
// two checks.
std::vector<std::string> fixed_waits(const std::filesystem::path& root);

// Returns how many include lines of engine/ and plugins/ were read.
size_t count_includes(const std::filesystem::path& root);

}  // namespace torsor::test

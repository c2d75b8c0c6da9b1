#pragma once
// Rules for the source tree: includes, joint kinds, sizes of folders, and waits in tests.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

// Returns one line "file:line: what is wrong" for each violation by an include of ROOT/engine,
// ROOT/plugins or ROOT/editor: an upward include, a relative path out of its folder, or a library
// that its room must not use. Also reports includes in files of engine/ or editor/ that are in no
// known room.
std::vector<std::string> include_violations(const std::filesystem::path& root);

// Returns one line for each place in engine/, plugins/ or editor/ that distinguishes joint kinds: a
// case label, a comparison with a kind other than fixed, or "using enum JointKind".
// engine/model/joint.cpp and joint.hpp are exempt.
std::vector<std::string> joint_kind_violations(const std::filesystem::path& root);

// Returns one line for each folder of engine/ and editor/ with more than 26 source files.
std::vector<std::string> crowded_rooms(const std::filesystem::path& root);

// Returns one line for each place in ROOT/tests that waits for a fixed time: the word sleep or a
// function like sleep_for. Tests must wait for conditions with eventually() of
// support/eventually.hpp, or with shell functions whose names begin with "wait_". Only these may
// sleep, between two checks of the condition. tests/architecture is exempt.
std::vector<std::string> fixed_waits(const std::filesystem::path& root);

// Returns the number of include lines in engine/, plugins/ and editor/.
size_t count_includes(const std::filesystem::path& root);

}  // namespace torsor::test

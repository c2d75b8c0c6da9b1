#pragma once
// What the text of the tree must keep to, whatever it computes.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::test {

// One line "file:line: what is wrong" for each include of ROOT/engine and ROOT/plugins that looks upward, out
// of its folder by a relative path, or at what its layer must do without; and for each file of engine/ that
// is in no known layer.
std::vector<std::string> include_violations(const std::filesystem::path& root);

// One line for each place outside engine/model/joint.cpp that tells joint kinds apart: a case label, or a
// comparison with a kind other than fixed.
std::vector<std::string> joint_kind_violations(const std::filesystem::path& root);
// Files of panels of the editor with more than 300 lines.
std::vector<std::string> long_panels(const std::filesystem::path& root);

// How many include lines of engine/ and plugins/ were read.
size_t count_includes(const std::filesystem::path& root);

}  // namespace torsor::test

#pragma once
// Robots with attached models for tests.

#include <string>
#include <vector>

#include "formats/mjcf_file.hpp"
#include "support/error_of.hpp"

namespace torsor::test {

inline std::string warnings(const RobotDescription& robot) {
  std::string out;
  for (const std::string& warning : robot.warnings) out += warning + "\n";
  return out;
}
inline std::vector<std::string> links_of(const RobotDescription& robot) {
  std::vector<std::string> out;
  for (const LinkDescription& link : robot.links) out.push_back(link.name);
  return out;
}

// A robot with the model "part" of part.xml and these elements in <worldbody>, in line 3.
class RobotWith : public MjcfFolder {
 public:
  RobotWith(const std::string& elements, const std::string& part)
      : MjcfFolder(mjcf("<asset><model name='part' file='part.xml'/></asset><worldbody>\n" +
                        elements + "</worldbody>")) {
    add("part.xml", part);
  }
};
// Two arms with a joint each, in line 2, and elements beside the tree, from line 3 on.
inline std::string arms(const std::string& elements = "") {
  return mjcf(
      "<worldbody><body name='a'><joint name='x'/><geom name='g' size='1'/><site name='s'/><body "
      "name='in'><joint name='y'/><geom size='1'/></body></body><body name='b'><joint "
      "name='z'/><geom name='h' size='1'/></body></worldbody>\n" +
      elements);
}

}  // namespace torsor::test

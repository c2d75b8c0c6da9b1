// Compares robots in SDF with the same robots in URDF: mass matrix, Coriolis matrix and gravity.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <map>

#include "formats/sdf_file.hpp"
#include "support/dense_dynamics.hpp"
#include "support/reference.hpp"
#include "torsor/base/random.hpp"
#include "torsor/mechanics/random_state.hpp"

namespace torsor::test::sdf_urdf {
namespace {

using tinyxml2::XMLElement;

// Returns a name for SDF, in which "world" is reserved.
std::string in_sdf(const std::string& name) {
  return name == "world" ? "base_of_robot" : name;
}

std::string origin_of(const XMLElement& element) {
  const XMLElement* origin = element.FirstChildElement("origin");
  const auto value = [&](const char* name) -> std::string {
    const char* text = origin ? origin->Attribute(name) : nullptr;
    return text ? text : "0 0 0";
  };
  return value("xyz") + " " + value("rpy");
}

std::string tag(const std::string& name, const std::string& text) {
  return "<" + name + ">" + text + "</" + name + ">";
}

std::string link_in_sdf(const XMLElement& link, const std::string& pose) {
  std::string out = fmt::format("<link name='{}'>{}", in_sdf(link.Attribute("name")), pose);
  if (const XMLElement* inertial = link.FirstChildElement("inertial")) {
    const XMLElement& inertia = *inertial->FirstChildElement("inertia");
    std::string moments;
    for (const char* name : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"})
      moments += tag(name, inertia.Attribute(name));
    out +=
        tag("inertial", tag("pose", origin_of(*inertial)) +
                            tag("mass", inertial->FirstChildElement("mass")->Attribute("value")) +
                            tag("inertia", moments));
  } else {
    out += tag("inertial", tag("mass", "0") +
                               tag("inertia", tag("ixx", "0") + tag("iyy", "0") + tag("izz", "0")));
  }
  return out + "</link>\n";
}

std::string joint_in_sdf(const XMLElement& joint) {
  std::string out =
      fmt::format("<joint name='{}' type='{}'>", joint.Attribute("name"), joint.Attribute("type"));
  out += tag("parent", in_sdf(joint.FirstChildElement("parent")->Attribute("link")));
  out += tag("child", in_sdf(joint.FirstChildElement("child")->Attribute("link")));
  if (std::string(joint.Attribute("type")) != "fixed") {
    const XMLElement* axis = joint.FirstChildElement("axis");
    std::string dynamics;
    if (const XMLElement* given = joint.FirstChildElement("dynamics"))
      for (const char* name : {"damping", "friction"})
        if (given->Attribute(name)) dynamics += tag(name, given->Attribute(name));
    out += tag("axis",
               tag("xyz", axis ? axis->Attribute("xyz") : "1 0 0") + tag("dynamics", dynamics));
  }
  return out + "</joint>\n";
}

// Returns the SDF of a URDF file. The pose of each link is relative to its parent.
std::string in_sdf(const std::filesystem::path& file, bool floating) {
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.LoadFile(file.c_str()), tinyxml2::XML_SUCCESS);
  const XMLElement& robot = *document.RootElement();
  std::map<std::string, const XMLElement*> carrier;
  std::string joints, links;
  for (auto joint = robot.FirstChildElement("joint"); joint;
       joint = joint->NextSiblingElement("joint")) {
    carrier[joint->FirstChildElement("child")->Attribute("link")] = joint;
    joints += joint_in_sdf(*joint);
  }
  for (auto link = robot.FirstChildElement("link"); link; link = link->NextSiblingElement("link")) {
    const std::string name = link->Attribute("name");
    const auto joint = carrier.find(name);
    std::string pose;
    if (joint != carrier.end())
      pose = fmt::format("<pose relative_to='{}'>{}</pose>",
                         in_sdf(joint->second->FirstChildElement("parent")->Attribute("link")),
                         origin_of(*joint->second));
    else if (!floating)
      joints += "<joint name='to_world' type='fixed'><parent>world</parent>" +
                tag("child", in_sdf(name)) + "</joint>\n";
    links += link_in_sdf(*link, pose);
  }
  return sdf_model(links + joints);
}

// Compares the models in a random state. The dof of both have the same order.
void expect_same_dynamics(const std::shared_ptr<const Model>& a,
                          const std::shared_ptr<const Model>& b) {
  ASSERT_EQ(a->dof_names(), b->dof_names());
  EXPECT_EQ(a->damping, b->damping);
  Random random(7);
  State at_a = random_state(a, random), at_b(b);
  at_b.set_q(at_a.q());
  at_b.v = at_a.v;
  at_b.set_gravity(at_a.gravity_W());
  const DenseDynamics of_a(a->view(), at_a.view()), of_b(b->view(), at_b.view());
  const auto same = [](const Matrix& x, const Matrix& y) { return close(x, y, y.norm(), 1e-12); };
  EXPECT_TRUE(same(of_a.M, of_b.M));
  EXPECT_TRUE(same(of_a.C, of_b.C));
  EXPECT_TRUE(same(of_a.g, of_b.g));
}

class SdfAndUrdf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Robots, SdfAndUrdf, testing::ValuesIn(stored_robots()),
                         [](const auto& robot) { return robot.param; });

TEST_P(SdfAndUrdf, HaveTheSameDynamics) {
  const auto file = robot_file(GetParam());
  for (const bool floating : {false, true})
    expect_same_dynamics(build(read_sdf_text(in_sdf(file, floating))),
                         build(read_robot_file(file, {.floating_base = floating})));
}

}  // namespace
}  // namespace torsor::test::sdf_urdf

#pragma once
// The rules of lint. Internal to lint.

#include <optional>
#include <string>
#include <unordered_set>

#include "torsor/formats/lint/lint.hpp"

namespace torsor::lint_rules {

// The size of a link at the neutral q, in m.
struct LinkSize {
  // Distance of the link frame from the parent's frame. 0 if the link is attached to the base.
  double offset = 0;
  // Distance of the link frame's origin from the COM or from the farthest child frame, whichever is
  // larger.
  double reach = 0;
};

// A robot and its typical sizes. The rules compare each link with these sizes.
struct Surroundings {
  const RobotDescription& robot;
  std::vector<LinkSize> sizes;  // one per link
  // One per link: its inertia if its shapes were solids of one density. nullopt: unknown.
  std::vector<std::optional<SpatialInertia<double>>> solids;
  double mass;    // total mass of the links, kg
  double length;  // median distance between connected frames, m; 0 if all coincide
};

class Finder {
 public:
  explicit Finder(std::vector<Finding>& out) : out_(out) {}
  bool has(const std::string& rule, const std::string& subject) const {
    return found_.contains(rule + " " + subject);
  }
  void add(Severity severity, const char* rule, const std::string& source, std::string subject,
           std::string what, std::vector<Finding::Number> numbers, std::string advice) {
    found_.insert(std::string(rule) + " " + subject);
    out_.push_back({severity, rule, source, std::move(subject), std::move(what), std::move(numbers),
                    std::move(advice)});
  }

 private:
  std::vector<Finding>& out_;
  std::unordered_set<std::string> found_;  // "RULE SUBJECT"
};

// Defined in inertia.cpp.
void check_inertia(const Surroundings& around, int link, Finder& find);
// Defined in joint.cpp.
void check_joint(const Surroundings& around, int link, Finder& find);
void check_mass_matrix(const Model& model, const RobotDescription& robot, Finder& find);

}  // namespace torsor::lint_rules

#pragma once
// The rules of lint, by what they look at. For lint.cpp alone.

#include "torsor/model/lint.hpp"

namespace torsor::lint_rules {

// Of one link, as found in the robot at the neutral q.
struct LinkSize {
  double offset = 0;  // of its frame from its parent's; 0 for a link that stands on the base
  double reach = 0;   // from its origin to the farthest of its COM and its children's frames
};

// What the rules measure a link by.
struct Surroundings {
  const RobotDescription& robot;
  std::vector<LinkSize> sizes;  // [links]
  double length;                // the median distance between joined frames; 0 where all coincide
};

struct Finder {
  std::vector<Finding>& out;
  void add(Severity severity, const char* rule, const std::string& source, std::string subject,
           std::string what, std::vector<Finding::Number> numbers, std::string advice) const {
    out.push_back(
        {severity, rule, source, std::move(subject), std::move(what), std::move(numbers), std::move(advice)});
  }
};

// lint_inertia.cpp
void look_at_inertia(const Surroundings& around, int link, const Finder& find);
// lint_joint.cpp
void look_at_joint(const Surroundings& around, int link, const Finder& find);
void look_at_mass_matrix(const Model& model, const RobotDescription& robot, const Finder& find);

}  // namespace torsor::lint_rules

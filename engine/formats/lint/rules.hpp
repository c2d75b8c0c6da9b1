#pragma once
// The rules of lint. Used by lint.cpp only.

#include <algorithm>

#include "torsor/formats/lint/lint.hpp"

namespace torsor::lint_rules {

// The size of one link at the neutral q.
struct LinkSize {
  double offset = 0;  // distance of its frame from its parent's; 0 for a link on the base
  double reach = 0;   // distance from its origin to its COM or its farthest child frame
};

// A robot and its typical sizes, with which the rules compare each link.
struct Surroundings {
  const RobotDescription& robot;
  std::vector<LinkSize> sizes;  // [links]
  double mass;                  // of all links
  double length;                // the median distance between connected frames; 0 if all coincide
};

struct Finder {
  std::vector<Finding>& out;
  bool has(std::string_view rule, std::string_view subject) const {
    return std::ranges::any_of(out, [&](const Finding& finding) {
      return finding.rule == rule && finding.subject == subject;
    });
  }
  void add(Severity severity, const char* rule, const std::string& source, std::string subject,
           std::string what, std::vector<Finding::Number> numbers, std::string advice) const {
    out.push_back({severity, rule, source, std::move(subject), std::move(what), std::move(numbers),
                   std::move(advice)});
  }
};

// Defined in inertia.cpp.
void check_inertia(const Surroundings& around, int link, const Finder& find);
// Defined in joint.cpp.
void check_joint(const Surroundings& around, int link, const Finder& find);
void check_mass_matrix(const Model& model, const RobotDescription& robot, const Finder& find);

}  // namespace torsor::lint_rules

// Motors in MJCF.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/export/mjcf/parts.hpp"
#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"

namespace torsor::exporting {

using tinyxml2::XMLElement;

namespace {

class MotorWriter {
 public:
  MotorWriter(XMLElement& root, const Bodies& bodies, const RobotDescription& robot, Ledger& ledger)
      : root_(root), bodies_(bodies), robot_(robot), ledger_(ledger), names_(robot) {}

  void run() {
    for (const LinkDescription& link : robot_.links) {
      const JointTraits& kind = torsor::traits(link.joint.kind);
      for (size_t k = 0; k < size_t(kind.n_v); ++k) {
        if (is_passive(link, k) && kind.n_v == 1)
          ledger_.lost(Feature::effort_limit, joint_subject(link),
                       "in MJCF, motors have the limits, and this joint has none");
        if (!is_passive(link, k) && (kind.n_v < 6 || link.parent.empty())) write(link, k);
      }
    }
    if (section_)
      ledger_.written({Feature::motors, Feature::effort_limit});
    else
      state_absence();
  }

 private:
  void write(const LinkDescription& link, size_t dof) {
    const JointDescription& joint = link.joint;
    const JointTraits& kind = torsor::traits(joint.kind);
    if (!section_) section_ = &add(root_, "actuator");
    XMLElement& motor = add(*section_, "motor");
    set(motor, "name",
        kind.n_v == 1 ? joint.name : fmt::format("{}.{}", joint.name, kind.dofs[dof].name));
    // Gears of a free joint would act along the axes of the world, and those of a site act along
    // its own.
    if (kind.n_v == 6)
      set(motor, "site", origin_site(link));
    else
      set(motor, "joint", joint.name);
    if (kind.n_v > 1) {
      std::string gear;
      for (size_t k = 0; k < size_t(kind.n_v); ++k) {
        // The first three gears of a site are those of the force.
        const size_t at = kind.n_v == 6 ? (k + 3) % 6 : k;
        gear += fmt::format("{}{}", k == 0 ? "" : " ", at == dof ? 1 : 0);
      }
      set(motor, "gear", gear);
    }
    if (kind.n_v > 1 || std::isinf(joint.effort_limit)) return;
    set(motor, "forcelimited", std::string("true"));
    set(motor, "forcerange", number(-joint.effort_limit) + " " + number(joint.effort_limit));
  }

  // Returns the name of a site at the origin of a link. Adds it at the first call.
  std::string origin_site(const LinkDescription& link) {
    const auto [found, is_new] = sites_.emplace(link.name, "");
    std::string& name = found->second;
    if (!is_new) return name;
    name = names_.unused(link.name + "_origin");
    set(add(*bodies_.at(link.name), "site"), "name", name);
    ledger_.note("frame", fmt::format("'{}'", name), "added for the motors of a free joint");
    return name;
  }

  void state_absence() {
    ledger_.lost({Feature::effort_limit}, "in MJCF, motors have the limits, and there are none");
    const char* outcome =
        "written as a file without actuators, which Torsor reads as driven joints";
    ledger_.changed_all(Feature::motors, outcome, Effect::forces);
    for (const LinkDescription& link : robot_.links)
      if (const size_t n = size_t(torsor::traits(link.joint.kind).n_v);
          n > 1 && n < 6 && link.joint.drives.empty())
        ledger_.note("motor or its absence (passive)", joint_subject(link), outcome,
                     Effect::forces);
  }

  XMLElement& root_;
  const Bodies& bodies_;
  const RobotDescription& robot_;
  Ledger& ledger_;
  NameSet names_;
  XMLElement* section_ = nullptr;
  std::unordered_map<std::string, std::string> sites_;  // by link
};

}  // namespace

void add_motors(XMLElement& root, const Bodies& bodies, const RobotDescription& robot,
                Ledger& ledger) {
  MotorWriter(root, bodies, robot, ledger).run();
}

}  // namespace torsor::exporting

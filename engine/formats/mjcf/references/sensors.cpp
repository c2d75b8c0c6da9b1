#include "torsor/formats/mjcf/references/sensors.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "torsor/formats/mjcf/references/named.hpp"

namespace torsor::mjcf {

namespace {

// An attribute of a sensor that refers to an element of a kind.
constexpr std::pair<const char*, const char*> references[] = {
    {"body", "body"},       {"body1", "body"},      {"body2", "body"},    {"subtree1", "body"},
    {"subtree2", "body"},   {"joint", "joint"},     {"geom", "geom"},     {"geom1", "geom"},
    {"geom2", "geom"},      {"site", "site"},       {"tendon", "tendon"}, {"actuator", "actuator"},
    {"objname", "objtype"}, {"refname", "reftype"},
};

class SensorChecker {
 public:
  SensorChecker(Files& files, const Tree& tree) : files_(files), tree_(tree) {
    for (const auto& [section, names] :
         {std::pair{"tendon", &tendons_}, std::pair{"actuator", &actuators_}})
      for (const XMLElement* xml : files.all(section)) names->insert(name_of(*xml));
  }

  void run() {
    for (const XMLElement* xml : files_.all("sensor")) check(*xml);
  }

 private:
  void check(const XMLElement& xml) {
    const xml::Element element = files_.element(xml, owner_of(xml));
    for (const auto& [attribute, kind] : references) {
      if (!element.has(attribute)) continue;
      const bool given = std::string_view(kind).ends_with("type");
      const std::string type = !given ? kind : element.has(kind) ? element.needed_text(kind) : "";
      if (!knows(type, element.needed_text(attribute)))
        note_unknown(files_, element, attribute, type.c_str());
    }
  }

  // Returns true also for a kind that the reader does not collect, such as a camera.
  bool knows(const std::string& kind, const std::string& name) const {
    if (kind == "body" || kind == "xbody")
      return tree_.bodies.contains(name) || tree_.copies.contains(Named::body, name);
    if (kind == "joint")
      return tree_.joint_index.contains(name) || tree_.copies.contains(Named::joint, name);
    if (kind == "geom")
      return tree_.geoms.contains(name) || tree_.copies.contains(Named::geom, name);
    if (kind == "site")
      return tree_.sites.contains(name) || tree_.copies.contains(Named::site, name);
    if (kind == "tendon") return is_listed(tendons_, name);
    if (kind == "actuator") return is_listed(actuators_, name);
    return true;
  }
  // The names of copies of tendons and actuators are not collected.
  bool is_listed(const std::unordered_set<std::string>& names, const std::string& name) const {
    return !tree_.copies.empty() || names.contains(name);
  }

  Files& files_;
  const Tree& tree_;
  std::unordered_set<std::string> tendons_, actuators_;
};

}  // namespace

void check_sensors(Files& files, const Tree& tree) {
  SensorChecker(files, tree).run();
}

}  // namespace torsor::mjcf

#include "torsor/formats/export/losses.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor::exporting {

namespace {

constexpr FeatureTraits features[] = {
    {Feature::family, "family", Effect::nothing},
    {Feature::allowed_nonphysical, "permission of impossible inertias", Effect::nothing},
    {Feature::dof_order, "order of the joints", Effect::nothing},
    {Feature::collision_pair, "rule for a pair of colliders", Effect::contact},
    {Feature::actuator, "actuator", Effect::nothing},
    {Feature::named_state, "named state", Effect::nothing},
    {Feature::gravity, "gravity", Effect::forces},
    {Feature::frame, "frame", Effect::nothing},
    {Feature::transmission, "transmission", Effect::structure},
    {Feature::transmission_law, "Jacobian of a transmission as a function", Effect::structure},
    {Feature::stiffness_matrix, "stiffness matrix", Effect::structure},
    {Feature::closure, "closure", Effect::structure},
    {Feature::closure_joint, "friction, drives or limits of the joint of a closure",
     Effect::forces},
    {Feature::grouped, "grouped inertia", Effect::nothing},
    {Feature::shapes_left_out, "shapes that the reader did not use", Effect::nothing},
    {Feature::visual, "visual", Effect::nothing},
    {Feature::color, "color", Effect::nothing},
    {Feature::collision, "collision shape", Effect::contact},
    {Feature::collision_name, "name of a collision shape", Effect::nothing},
    {Feature::collision_group, "collision group", Effect::contact},
    {Feature::mu, "coefficient of friction mu", Effect::contact},
    {Feature::restitution, "restitution", Effect::contact},
    {Feature::torsional, "torsional friction", Effect::contact},
    {Feature::rolling, "rolling friction", Effect::contact},
    {Feature::surface_stiffness, "stiffness of a surface", Effect::contact},
    {Feature::surface_damping, "damping of a surface", Effect::contact},
    {Feature::fixed_joint_name, "name of a fixed joint", Effect::nothing},
    {Feature::placement_form, "form of the placement", Effect::nothing},
    {Feature::helical, "helical joint", Effect::structure},
    {Feature::universal, "universal joint", Effect::structure},
    {Feature::cylindrical, "cylindrical joint", Effect::structure},
    {Feature::planar, "planar joint", Effect::structure},
    {Feature::spherical, "spherical joint", Effect::structure},
    {Feature::floating, "floating joint", Effect::structure},
    {Feature::armature, "armature", Effect::structure},
    {Feature::damping, "damping", Effect::forces},
    {Feature::position_limits, "position limits", Effect::forces},
    {Feature::velocity_limit, "velocity limit", Effect::forces},
    {Feature::effort_limit, "effort limit", Effect::forces},
    {Feature::mimic, "mimic", Effect::structure},
    {Feature::elastic_drive, "spring to a rotor", Effect::structure},
    {Feature::motors, "motor or its absence", Effect::forces},
    {Feature::friction_law, "friction law", Effect::forces},
    {Feature::viscous, "viscous friction of the friction law", Effect::forces},
    {Feature::coulomb, "Coulomb friction", Effect::forces},
    {Feature::breakaway, "static friction", Effect::forces},
    {Feature::elasticity, "elasticity", Effect::structure},
    {Feature::rotor_inertia, "rotor inertia of the motor", Effect::structure},
    {Feature::gear_ratio, "gear ratio of the motor", Effect::forces},
    {Feature::motor_friction, "friction of the motor", Effect::forces},
    {Feature::amplifier, "constants and limits of the amplifier", Effect::forces},
    {Feature::rotor_body, "rotor as a separate body", Effect::structure},
    {Feature::clamp, "clamping to the effort limit", Effect::forces},
    {Feature::stall_torque, "stall torque", Effect::forces},
    {Feature::spring, "spring", Effect::forces},
    {Feature::stop, "stop", Effect::forces},
};

const char* heading(Effect effect) {
  switch (effect) {
    case Effect::structure:
      return "changes the mechanism";
    case Effect::forces:
      return "changes the forces";
    case Effect::contact:
      return "changes contacts";
    case Effect::nothing:
      break;
  }
  return "no effect on the motion";
}

std::string key_of(Feature feature, const std::string& subject) {
  return fmt::format("{}:{}", int(feature), subject);
}

std::string with_detail(const Item& item) {
  const std::string name = traits(item.feature).name;
  return item.detail.empty() ? name : name + " " + item.detail;
}

}  // namespace

const FeatureTraits& traits(Feature feature) {
  return *std::ranges::find(features, feature, &FeatureTraits::feature);
}
std::span<const FeatureTraits> all_features() {
  return features;
}

Ledger::Ledger(const RobotDescription& robot, Notes notes)
    : Notes(std::move(notes)), items_(inventory(robot)), fates_(items_.size(), Fate::none) {
  for (size_t k = 0; k < items_.size(); ++k)
    item_index_.emplace(key_of(items_[k].feature, items_[k].subject), k);
}

Ledger::Fate* Ledger::fate(Feature feature, const std::string& subject) {
  const auto found = item_index_.find(key_of(feature, subject));
  return found == item_index_.end() ? nullptr : &fates_[found->second];
}

bool Ledger::has(Feature feature, const std::string& subject) const {
  return item_index_.contains(key_of(feature, subject));
}

void Notes::note(const std::string& what, const std::string& subject, const std::string& outcome,
                 Effect effect) {
  const std::string key = fmt::format("{}\n{}\n{}", int(effect), what, outcome);
  const auto [place, is_new] = index_.emplace(key, losses_.size());
  if (is_new) losses_.push_back({what, outcome, effect});
  losses_[place->second].subjects.push_back(subject);
}

void Ledger::written(Feature feature, const std::string& subject) {
  Fate* const at = fate(feature, subject);
  if (at && *at != Fate::reported) *at = Fate::written;
}
void Ledger::written(std::initializer_list<Feature> features) {
  for (size_t k = 0; k < items_.size(); ++k)
    if (fates_[k] == Fate::none && std::ranges::find(features, items_[k].feature) != features.end())
      fates_[k] = Fate::written;
}

void Ledger::lost(Feature feature, const std::string& subject, const std::string& why) {
  const Fate* const at = fate(feature, subject);
  if (!at) return;
  const Item& item = items_[size_t(at - fates_.data())];
  changed(feature, subject, "not written: " + why, item.effect.value_or(traits(feature).effect));
}
void Ledger::lost(std::initializer_list<Feature> features, const std::string& why) {
  for (size_t k = 0; k < items_.size(); ++k)
    if (fates_[k] == Fate::none && std::ranges::find(features, items_[k].feature) != features.end())
      lost(items_[k].feature, items_[k].subject, why);
}

void Ledger::changed(Feature feature, const std::string& subject, const std::string& outcome,
                     Effect effect) {
  Fate* const at = fate(feature, subject);
  if (!at) return;
  if (*at == Fate::reported) return;
  *at = Fate::reported;
  const Item& item = items_[size_t(at - fates_.data())];
  note(with_detail(item), item.value.empty() ? subject : subject + " " + item.value, outcome,
       effect);
}

void Ledger::changed_all(Feature feature, const std::string& outcome, Effect effect) {
  for (size_t k = 0; k < items_.size(); ++k)
    if (fates_[k] == Fate::none && items_[k].feature == feature)
      changed(feature, items_[k].subject, outcome, effect);
}

std::vector<Loss> Ledger::losses() const {
  Ledger all = *this;
  for (size_t k = 0; k < items_.size(); ++k)
    if (fates_[k] == Fate::none)
      all.lost(items_[k].feature, items_[k].subject, "the format cannot express it");
  std::ranges::stable_sort(all.losses_, {}, &Loss::effect);
  return all.losses_;
}

std::string report_of(std::span<const Loss> losses, size_t most) {
  std::string out;
  for (const Loss& loss : losses) {
    out += fmt::format("{}: {}: {}", heading(loss.effect), loss.what, loss.outcome);
    const size_t n = loss.subjects.size();
    out += n > 1 ? fmt::format(" ({} times: ", n) : " (";
    for (size_t k = 0; k < std::min(n, most); ++k) out += (k == 0 ? "" : ", ") + loss.subjects[k];
    out += n > most ? fmt::format(" and {} more)\n", n - most) : ")\n";
  }
  return out;
}

}  // namespace torsor::exporting

#pragma once
// The account of an export: what the robot has, and what became of it.
//
// inventory() lists every part of a description that a format may not be able to express. A writer
// states for each entry whether it is written exactly, written differently, or lost. An entry about
// which it states nothing counts as lost. So everything is either in the file or in the report.

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor::exporting {

// The part of the motion that a loss affects. structure: the mass matrix with the inertias of
// rotors, or the degrees of freedom. forces: gravity, and everything else at the joints, such as
// friction, springs and limits. contact: contacts. nothing: no motion.
enum class Effect : unsigned char { structure, forces, contact, nothing };

enum class Feature : unsigned char {
  family,
  allowed_nonphysical,
  dof_order,
  collision_pair,
  actuator,
  named_state,
  gravity,
  frame,
  transmission,
  transmission_law,
  stiffness_matrix,
  closure,
  closure_joint,
  grouped,
  shapes_left_out,
  visual,
  color,
  collision,
  collision_name,
  collision_group,
  mu,
  restitution,
  torsional,
  rolling,
  surface_stiffness,
  surface_damping,
  fixed_joint_name,
  placement_form,
  helical,
  universal,
  cylindrical,
  planar,
  spherical,
  floating,
  armature,
  damping,
  position_limits,
  velocity_limit,
  effort_limit,
  mimic,
  elastic_drive,
  motors,
  friction_law,
  viscous,
  coulomb,
  breakaway,
  elasticity,
  rotor_inertia,
  gear_ratio,
  motor_friction,
  amplifier,
  rotor_body,
  clamp,
  stall_torque,
  spring,
  stop
};

struct FeatureTraits {
  Feature feature;
  const char* name;
  Effect effect;
};
const FeatureTraits& traits(Feature feature);
std::span<const FeatureTraits> all_features();

// An entry of the inventory.
struct Item {
  Feature feature;
  std::string subject;      // for example "joint 'elbow'"
  std::string detail = "";  // part of the name, for example "stribeck"
  std::string value = "";   // a number, which the report shows after the subject
  // The effect of its loss, if it is not that of the feature.
  std::optional<Effect> effect = std::nullopt;
};
// Returns all entries of a description, in its order.
std::vector<Item> inventory(const RobotDescription& robot);

// Returns whether a joint, or that of a closure, has the inertia of a rotor.
bool has_rotor(const JointDescription& joint);

// The subjects of entries.
std::string robot_subject(const RobotDescription& robot);
std::string link_subject(const LinkDescription& link);
std::string joint_subject(const LinkDescription& link);
// Returns the subject of a dof of a joint, that of the joint if it has one dof.
std::string dof_subject(const LinkDescription& link, size_t dof);
std::string visual_subject(const LinkDescription& link, size_t index);
std::string collision_subject(const LinkDescription& link, size_t index);
std::string transmission_subject(const RobotDescription& robot, size_t index);

// Something that is not in the file as in the description, for one or several subjects.
struct Loss {
  std::string what;     // for example "friction law stribeck"
  std::string outcome;  // for example "written as Coulomb friction"
  Effect effect;
  std::vector<std::string> subjects = {};
};

// Collects losses, and combines equal ones.
class Notes {
 public:
  // Reports a change. outcome: for example "added, massless".
  void note(const std::string& what, const std::string& subject, const std::string& outcome,
            Effect effect = Effect::nothing);
  std::vector<Loss> take() { return std::move(losses_); }

 protected:
  std::vector<Loss> losses_;

 private:
  std::unordered_map<std::string, size_t> index_;
};

class Ledger : public Notes {
 public:
  // notes: changes of the robot that were made before, to begin with.
  explicit Ledger(const RobotDescription& robot, Notes notes = {});

  // State what became of entries of the inventory. Entries that do not exist are ignored.
  void written(Feature feature, const std::string& subject);
  void written(std::initializer_list<Feature> features);  // all that have no statement yet
  void lost(Feature feature, const std::string& subject, const std::string& why);
  void lost(std::initializer_list<Feature> features, const std::string& why);  // as above
  // outcome: for example "written as Coulomb friction".
  void changed(Feature feature, const std::string& subject, const std::string& outcome,
               Effect effect);
  // States the same of all entries of a feature that have no statement yet.
  void changed_all(Feature feature, const std::string& outcome, Effect effect);
  bool has(Feature feature, const std::string& subject) const;

  // Returns the losses in the order of their effects, with equal ones combined. Entries without a
  // statement are lost.
  std::vector<Loss> losses() const;

 private:
  enum class Fate : unsigned char { none, written, reported };
  Fate* fate(Feature feature, const std::string& subject);

  std::vector<Item> items_;
  std::vector<Fate> fates_;
  std::unordered_map<std::string, size_t> item_index_;
};

// Returns the report, one line for each loss, or "" if there is none. A line names at most `most`
// subjects.
std::string report_of(std::span<const Loss> losses, size_t most);

}  // namespace torsor::exporting

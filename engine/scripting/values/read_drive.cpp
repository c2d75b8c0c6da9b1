#include "torsor/scripting/values/read_drive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "torsor/model/transmission.hpp"
#include "torsor/scripting/objects/transmission_function.hpp"

namespace torsor::lua {

namespace {

struct FrictionParameter {
  const char* key;
  double Friction::*value;
  bool optional;
};
constexpr FrictionParameter viscous{"viscous", &Friction::viscous, true},
    coulomb{"coulomb", &Friction::coulomb, false},
    static_friction{"static", &Friction::breakaway, false}, decay{"decay", &Friction::decay, false};
// Parameters of each friction law, in the order of Friction::Law. The Coulomb law has an optional
// static friction. The default value is the Coulomb friction.
const std::vector<FrictionParameter> parameters[] = {
    {},
    {coulomb, {"static", &Friction::breakaway, true}, viscous},
    {coulomb, static_friction, decay, viscous},
    {coulomb, {"transition", &Friction::transition, false}, viscous},
    {coulomb,
     static_friction,
     decay,
     {"bristle_stiffness", &Friction::bristle_stiffness, false},
     {"bristle_damping", &Friction::bristle_damping, true},
     viscous}};

Friction read_friction(const TableReader& parent) {
  const auto keys = {"coulomb",           "static",         "decay", "viscous", "transition",
                     "bristle_stiffness", "bristle_damping"};
  const TableReader table = parent.table("friction", keys, 1);
  const std::string word = table.positional_text(1);
  std::vector<std::string> names = friction_law_names();
  names.erase(names.begin());  // remove the name "none"
  const auto law = friction_law(word);
  if (!law || *law == Friction::Law::none)
    table.fail(fmt::format("has the unknown law '{}'; the laws are {}{}", word,
                           fmt::join(names, ", "), did_you_mean(word, names)));
  Friction out;
  out.law = *law;
  const std::vector<FrictionParameter>& taken = parameters[int(*law)];
  for (const char* key : keys)
    if (table.has(key) && std::none_of(taken.begin(), taken.end(), [&](const FrictionParameter& p) {
          return std::string_view(p.key) == key;
        }))
      table.fail(fmt::format("has {}, which the law '{}' does not use; remove it", key, word));
  for (const auto& [key, value, optional] : taken)
    out.*value = optional ? table.number_or(key, 0) : table.number(key);
  if (out.law == Friction::Law::coulomb && !table.has("static")) out.breakaway = out.coulomb;
  return out;
}

// The keys of every motor.
#define TORSOR_MOTOR_KEYS                                                                      \
  "rotor_inertia", "friction", "torque_constant", "amplifier_gain", "resistance", "max_input", \
      "max_current", "max_voltage"

// Reads the properties common to motors of joints and motors of transmissions.
Motor read_motor(const TableReader& motor) {
  Motor out;
  out.rotor_inertia = motor.number("rotor_inertia");
  if (motor.has("friction")) out.friction = read_friction(motor);
  for (const auto& [key, value, unit] :
       {std::tuple{"torque_constant", &Motor::torque_constant, " N m/A"},
        {"amplifier_gain", &Motor::amplifier_gain, " A"},
        {"resistance", &Motor::resistance, " ohm"},
        {"max_input", &Motor::max_input, ""},
        {"max_current", &Motor::max_current, " A"},
        {"max_voltage", &Motor::max_voltage, " V"}})
    if (motor.has(key)) out.*value = motor.positive_or(key, 0, unit);
  return out;
}

// Reads the drive of one dof. motors: whether the dof has a motor if its table has neither passive
// nor motor.
Drive read_drive(const TableReader& table, bool motors) {
  Drive out;
  if (table.has("friction")) out.friction = read_friction(table);
  if (table.has("elastic")) {
    const TableReader elastic = table.table("elastic", {"stiffness", "cubic", "damping"});
    out.elasticity = {elastic.number("stiffness"), elastic.number_or("cubic", 0),
                      elastic.number_or("damping", 0)};
    if (!table.has("motor"))
      table.fail("is elastic and has no motor; give it motor = { rotor_inertia = .. }");
  }
  if (table.has("motor")) {
    const TableReader motor =
        table.table("motor", {TORSOR_MOTOR_KEYS, "gear_ratio", "body", "clamp", "stall_torque"});
    out.motor = read_motor(motor);
    out.motor.gear_ratio = motor.number_or("gear_ratio", 1);
    out.motor.body = motor.flag_or("body", false);
    out.motor.clamp = motor.flag_or("clamp", false);
    out.motor.stall_torque = motor.number_or("stall_torque", 0);
  }
  if (table.has("spring")) {
    const TableReader spring = table.table("spring", {"stiffness", "rest"});
    out.spring = {spring.number("stiffness"), spring.number_or("rest", 0)};
  }
  if (table.has("stop"))
    out.stop = Stop{table.table("stop", {"restitution"}).number("restitution")};
  out.passive = table.flag_or("passive", !motors && !table.has("motor"));
  return out;
}

// Reads the spring of a joint whose q contains a quaternion.
PoseSpring read_pose_spring(const TableReader& joint, const JointTraits& kind) {
  const TableReader spring = joint.table("spring", {"stiffness", "rest"});
  const bool slides = !std::ranges::all_of(kind.dofs, &JointDof::turns);
  PoseSpring out;
  if (slides && spring.has("stiffness") && spring.is_list("stiffness")) {
    const std::vector<double> stiffness = spring.numbers("stiffness", 2);
    out.angular = stiffness[0], out.linear = stiffness[1];
  } else {
    out.angular = spring.number("stiffness");
    if (slides) out.linear = out.angular;
  }
  if (!spring.has("rest")) return out;
  if (slides && !spring.is_list("rest")) {
    const Pose<double> X = read_pose(spring, "rest");
    const Quaternion r = quaternion(X.R);
    out.rest = {X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z};
  } else {
    out.rest = spring.numbers("rest", size_t(kind.n_q));
  }
  return out;
}

constexpr const char* drive_keys[] = {TORSOR_DRIVE_KEYS};

// Returns whether the dof of a joint have motors. Returns nullopt if the joint has neither the key
// motors nor the key passive.
std::optional<bool> read_motors(const TableReader& joint) {
  if (joint.has("motors") && joint.has("passive"))
    joint.fail("has motors and passive; give one of them");
  if (joint.has("motors")) return joint.flag_or("motors", true);
  if (joint.has("passive")) return !joint.flag_or("passive", false);
  return std::nullopt;
}

}  // namespace

void read_drives(const TableReader& joint, bool motors_by_default, JointDescription& out) {
  const JointTraits& kind = traits(out.kind);
  const std::string word = joint.positional_text(1);
  const int n = out.second_axis ? 2 : kind.n_v;
  if (joint.has("mimic")) {
    const TableReader mimic = joint.table("mimic", {"joint", "ratio", "offset"});
    out.mimic = {mimic.text("joint"), mimic.number_or("ratio", 1), mimic.number_or("offset", 0)};
  }
  if (kind.has_quaternion() && joint.has("spring")) out.spring = read_pose_spring(joint, kind);
  const auto given =
      std::find_if(std::begin(drive_keys), std::end(drive_keys), [&](const char* key) {
        return joint.has(key) && !(out.spring && std::string_view(key) == "spring");
      });
  const bool any = given != std::end(drive_keys),
             only_passive = any && std::string_view(*given) == "passive";
  if (any && joint.has("drives"))
    joint.fail("has drives and keys of a drive; put all of them into drives");
  if (any && !only_passive && n != 1)
    joint.fail(
        fmt::format("is {} and has {} for {} degrees of freedom; use drives = {{ {{..}}, .. }}, a "
                    "table for each",
                    word, *given, n));
  const std::optional<bool> stated = read_motors(joint);
  const bool motors = stated.value_or(motors_by_default);
  if (joint.has("drives"))
    joint.each_entry("drives", "a list of tables", [&](int entry, const Place& place) {
      out.drives.push_back(
          read_drive(TableReader(joint.state(), entry, place, {TORSOR_DRIVE_KEYS}), motors));
    });
  else if (n == 1 && any)
    out.drives = {read_drive(joint, motors)};
  else if (stated)
    out.drives.assign(size_t(n), Drive{.passive = !motors});
}

namespace {

// Reads an entry of a Jacobian: a number, a polynomial { of =, coefficients = }, or a table
// { of =, q =, values = }. Sets `varies` for the last two.
JacobianEntry read_entry(lua_State* L, int index, const Place& place,
                         const std::vector<std::string>& joints, bool& varies) {
  if (!lua_istable(L, index)) return JacobianEntry::polynomial(0, {number_at(L, index, place)});
  varies = true;
  const TableReader entry(L, index, place, {"of", "coefficients", "q", "values"});
  const std::string joint = entry.text("of");
  const auto found = std::ranges::find(joints, joint);
  if (found == joints.end())
    entry.fail(fmt::format("is a function of '{}', which is not a joint of the transmission{}",
                           joint, did_you_mean(joint, joints)));
  const auto of = size_t(found - joints.begin());
  if (entry.has("coefficients") && (entry.has("q") || entry.has("values")))
    entry.fail("has coefficients and a table; give one of them");
  if (entry.has("coefficients")) {
    std::vector<double> coefficients = entry.numbers("coefficients");
    if (coefficients.empty()) entry.fail("has no coefficients");
    return JacobianEntry::polynomial(of, std::move(coefficients));
  }
  if (!entry.has("q") && !entry.has("values"))
    entry.fail("has no function; give coefficients, or a table of q and values");
  const std::vector<double> q = entry.numbers("q"), values = entry.numbers("values");
  try {
    return JacobianEntry::table(of, q, values);
  } catch (const Error& error) {
    entry.fail(fmt::format("has a wrong table: {}", error.what()));
  }
}

void read_jacobian(const TableReader& table, TransmissionDescription& out) {
  lua_State* L = table.state();
  if (const int function = table.function("jacobian")) {
    out.law =
        law_of_function(L, function, fmt::format("{}: the jacobian of a transmission", out.source));
    return;
  }
  std::vector<std::vector<JacobianEntry>> entries;
  bool varies = false;
  table.each_entry("jacobian", "a list of rows", [&](int row, const Place& place) {
    std::vector<JacobianEntry>& own = entries.emplace_back();
    if (!lua_istable(L, row)) place.fail("is not a row of the jacobian");
    for (lua_Integer k = 1; k <= lua_Integer(lua_rawlen(L, row)); ++k) {
      lua_rawgeti(L, row, k);
      own.push_back(read_entry(L, lua_gettop(L),
                               {place.owner, fmt::format("{}[{}]", place.path, k)}, out.joints,
                               varies));
      lua_pop(L, 1);
    }
  });
  const size_t n = out.joints.size();
  for (const std::vector<JacobianEntry>& row : entries) {
    if (varies && (row.size() != n || entries.size() != n))
      table.place()
          .inside("jacobian")
          .fail(fmt::format("must have {0} rows of {0} entries, one for each joint", n));
    if (varies) continue;
    std::vector<double>& numbers = out.jacobian.emplace_back();
    for (const JacobianEntry& entry : row) numbers.push_back(entry.coefficients[0]);
  }
  if (varies) out.law = make_law(std::move(entries));
}

}  // namespace

StiffnessDescription read_stiffness(const TableReader& table) {
  StiffnessDescription out;
  out.joints = table.texts("joints");
  table.each_entry("matrix", "a list of rows", [&](int entry, const Place& place) {
    out.matrix.push_back(numbers_at(table.state(), entry, place));
  });
  if (!table.has("damping")) return out;
  lua_getfield(table.state(), 2, "damping");
  out.damping = lua_type(table.state(), -1) == LUA_TNUMBER
                    ? std::vector(out.joints.size(), table.number("damping"))
                    : table.numbers("damping");
  return out;
}

TransmissionDescription read_transmission(const TableReader& table, const std::string& source) {
  TransmissionDescription out;
  out.source = source;
  out.joints = table.texts("joints");
  read_jacobian(table, out);
  table.each_entry("motors", "a list of tables", [&](int entry, const Place& place) {
    out.motors.push_back(read_motor(TableReader(table.state(), entry, place, {TORSOR_MOTOR_KEYS})));
  });
  return out;
}

}  // namespace torsor::lua

#include "torsor/cli/support/states.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/json_text.hpp"
#include "torsor/base/text.hpp"

namespace torsor::cli {

namespace {

// Returns the name of a JSON type with its article: "an array", "a string", "null".
std::string with_article(const std::string& type) {
  if (type == "null") return type;
  return (type == "array" || type == "object" ? "an " : "a ") + type;
}

class Reader {
 public:
  Reader(std::string file, const Model& model) : file_(std::move(file)), model_(model) {}

  StatesFile read(const nlohmann::json& json) {
    expect_object(json, "the file", {"joints", "gravity", "states"});
    StatesFile out;
    read_order(json, out);
    if (json.contains("gravity")) {
      const std::vector<double> g = numbers(json["gravity"], "gravity", 3, "x, y, z in m/s^2");
      out.gravity_W = Vec3<double>{g[0], g[1], g[2]};
    }
    if (!json.contains("states") || !json["states"].is_array())
      fail("'states' is missing; it must be a list of objects");
    for (size_t k = 0; k < json["states"].size(); ++k)
      out.states.push_back(read_state(json["states"][k], fmt::format("states[{}]", k), out.joints));
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw Error(file_ + ": " + text); }

  void expect_object(const nlohmann::json& json, const std::string& what,
                     const std::vector<std::string>& keys) const {
    if (!json.is_object())
      fail(fmt::format("{} must be an object, not {}", what, with_article(json.type_name())));
    for (const auto& [key, value] : json.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        fail(fmt::format("{} has an unknown key '{}'{}", what, quotable(key),
                         did_you_mean(key, keys)));
  }

  std::vector<double> numbers(const nlohmann::json& json, const std::string& what, size_t count,
                              const char* of) const {
    if (!json.is_array() || json.size() != count)
      fail(fmt::format("{} must be a list of {} numbers ({}); it {}", what, count, of,
                       json.is_array() ? fmt::format("has {}", json.size())
                                       : fmt::format("is of type {}", json.type_name())));
    std::vector<double> out;
    for (size_t k = 0; k < count; ++k) {
      if (!json[k].is_number())
        fail(fmt::format("{}[{}] must be a number, not {}", what, k, json[k].dump()));
      out.push_back(json[k].get<double>());
    }
    return out;
  }

  void read_order(const nlohmann::json& json, StatesFile& out) const {
    if (!json.contains("joints")) {
      for (size_t k = 0; k < model_.joints.size(); ++k) out.joints.push_back(int(k));
      return;
    }
    const nlohmann::json& names = json["joints"];
    if (!names.is_array()) fail("'joints' must be a list of names");
    for (const nlohmann::json& name : names) {
      if (!name.is_string()) fail(fmt::format("'joints' must contain names, not {}", name.dump()));
      int joint = 0;
      try {
        joint = model_.joint(name.get<std::string>());
      } catch (const Error& error) {
        fail(fmt::format("'joints': {}", error.what()));
      }
      if (std::find(out.joints.begin(), out.joints.end(), joint) != out.joints.end())
        fail(fmt::format("'joints' names {} twice", name.dump()));
      out.joints.push_back(joint);
    }
    if (out.joints.size() != model_.joints.size())
      fail(fmt::format("'joints' names {} joints; the robot has {} moving joints",
                       out.joints.size(), model_.joints.size()));
  }

  // Returns a list of the file in the order of the degrees of freedom, or default values if the
  // state lacks the list.
  std::vector<double> by_column(const nlohmann::json& state, const char* key,
                                const std::string& where, const std::vector<int>& joints,
                                bool positions) const {
    std::vector<double> out =
        positions ? neutral(model_) : std::vector<double>(size_t(model_.n_v), 0.0);
    if (!state.contains(key)) return out;
    const std::vector<double> given =
        numbers(state[key], where + "." + key, out.size(),
                "the entries of each moving joint, in the order of 'joints'");
    auto next = given.begin();
    for (const int j : joints) {
      const JointTraits& kind = traits(model_.joints[j].kind);
      const int count = positions ? kind.n_q : kind.n_v;
      std::copy_n(next, count,
                  out.begin() + (positions ? model_.joints[j].q_index : model_.joints[j].v_index));
      next += count;
    }
    return out;
  }

  Twist<double> twist(const nlohmann::json& state, const char* key,
                      const std::string& where) const {
    if (!state.contains(key)) return {};
    const std::vector<double> x = numbers(state[key], where + "." + key, 6,
                                          "angular, then linear, in the axes of the base frame");
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }

  StateEntry read_state(const nlohmann::json& state, const std::string& where,
                        const std::vector<int>& joints) const {
    expect_object(
        state, where,
        {"q", "v", "vdot", "tau", "wrenches", "base_twist", "base_acceleration", "jerk", "snap",
         "crackle", "pop", "wrenches_dot", "wrenches_ddot", "base_jerk", "base_snap"});
    StateEntry out{
        by_column(state, "q", where, joints, true),
        by_column(state, "v", where, joints, false),
        by_column(state, "vdot", where, joints, false),
        by_column(state, "tau", where, joints, false),
        wrenches(state, "wrenches", where),
        twist(state, "base_twist", where),
        twist(state, "base_acceleration", where),
        vdot_rates(state, where, joints),
        {wrenches(state, "wrenches_dot", where), wrenches(state, "wrenches_ddot", where)},
        {twist(state, "base_jerk", where), twist(state, "base_snap", where)}};
    try {
      normalise(model_, out.q);
    } catch (const Error& error) {
      fail(fmt::format("{}.q: {}", where, error.what()));
    }
    return out;
  }

  // Returns the derivatives of vdot in the file. Throws Error for a derivative if a lower one is
  // missing.
  std::vector<std::vector<double>> vdot_rates(const nlohmann::json& state, const std::string& where,
                                              const std::vector<int>& joints) const {
    std::vector<std::vector<double>> out;
    const char* missing = state.contains("vdot") ? nullptr : "vdot";
    for (const char* key : {"jerk", "snap", "crackle", "pop"}) {
      if (!state.contains(key)) {
        if (!missing) missing = key;
        continue;
      }
      if (missing)
        fail(fmt::format("{} has '{}' but not '{}', of which it is a derivative", where, key,
                         missing));
      out.push_back(by_column(state, key, where, joints, false));
    }
    for (const auto& [key, needed] :
         {std::pair{"wrenches_dot", "jerk"}, std::pair{"base_jerk", "jerk"},
          std::pair{"wrenches_ddot", "snap"}, std::pair{"base_snap", "snap"}})
      if (state.contains(key) && !state.contains(needed))
        fail(fmt::format("{} has '{}' but not '{}', which it needs", where, key, needed));
    return out;
  }

  std::vector<std::pair<int, Wrench<double>>> wrenches(const nlohmann::json& state,
                                                       const char* name,
                                                       const std::string& where) const {
    std::vector<std::pair<int, Wrench<double>>> out;
    if (!state.contains(name)) return out;
    const std::string key = fmt::format("{}.{}", where, name);
    if (!state[name].is_object()) fail(key + " must be an object with names of links as keys");
    for (const auto& [link, value] : state[name].items()) {
      int frame = 0;
      try {
        frame = model_.frame(link);
      } catch (const Error& error) {
        fail(fmt::format("{}: {}", key, error.what()));
      }
      const std::vector<double> w =
          numbers(value, fmt::format("{}.{}", key, link), 6, "moment, then force, in link axes");
      out.push_back({frame, {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}}});
    }
    return out;
  }

  std::string file_;
  const Model& model_;
};

}  // namespace

StatesFile read_states(const std::filesystem::path& file, const Model& model) {
  const std::string name = file == "-" ? "standard input" : file.string();
  const std::string text = file == "-"
                               ? read_standard_input(InputKind::states)
                               : InputFile(file, InputKind::states,
                                           "give a JSON file of states (see torsor eval --help)",
                                           InputFile::Pipes::taken)
                                     .read_all();
  return Reader(name, model).read(parse_json(text, name));
}

}  // namespace torsor::cli

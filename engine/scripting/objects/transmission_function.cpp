#include "torsor/scripting/objects/transmission_function.hpp"

#include <cmath>

#include "torsor/base/hash.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

namespace {

class FunctionLaw final : public TransmissionLaw {
 public:
  FunctionLaw(int function, uint64_t hash, std::weak_ptr<LoadedScript> script, std::string owner)
      : function_(function), hash_(hash), script_(std::move(script)), owner_(std::move(owner)) {}

  void evaluate(std::span<const double> q, std::span<const double> v, std::span<double> J,
                std::span<double> J_dot) const override {
    if (!call(q, v, J, J_dot)) difference(q, v, J_dot);
  }
  uint64_t fingerprint() const override { return hash_; }
  std::vector<std::string> expressions(std::span<const std::string>) const override { return {}; }

  int function() const { return function_; }
  std::shared_ptr<const TransmissionLaw> owning(std::shared_ptr<LoadedScript> script) const {
    auto out = std::make_shared<FunctionLaw>(*this);
    out->kept_ = std::move(script);
    return out;
  }

 private:
  // Returns false if the function does not return J_dot.
  bool call(std::span<const double> q, std::span<const double> v, std::span<double> J,
            std::span<double> J_dot) const {
    const std::shared_ptr<LoadedScript> script = script_.lock();
    if (!script) throw Error(owner_ + ": its script is no longer loaded; load it again");
    bool given = false;
    script->ask([&](lua_State* L) {
      const int top = lua_gettop(L);
      lua_rawgeti(L, LUA_REGISTRYINDEX, function_);
      push_list(L, q);
      push_list(L, v);
      lua_call(L, 2, LUA_MULTRET);
      script->frozen.check(L, owner_);
      const int results = lua_gettop(L) - top;
      if (results < 1 || results > 2)
        throw Error(fmt::format("{} returns {} values; it must return J, or J and its rate", owner_,
                                results));
      read(L, top + 1, {owner_, "the jacobian"}, q.size(), J);
      given = results == 2;
      if (given) read(L, top + 2, {owner_, "the rate of the jacobian"}, q.size(), J_dot);
      lua_settop(L, top);
    });
    return given;
  }

  // Reads n rows of n numbers.
  static void read(lua_State* L, int index, const Place& place, size_t n, std::span<double> out) {
    if (!lua_istable(L, index) || lua_rawlen(L, index) != n)
      place.fail(fmt::format("must be a list of {} rows, one for each joint", n));
    for (size_t i = 0; i < n; ++i) {
      lua_rawgeti(L, index, lua_Integer(i) + 1);
      const std::vector<double> row =
          numbers_at(L, lua_gettop(L), {place.owner, fmt::format("{}[{}]", place.path, i + 1)}, n);
      std::ranges::copy(row, out.begin() + std::ptrdiff_t(i * n));
      lua_pop(L, 1);
    }
  }

  // Computes the rate of J along v by differences of fourth order. With the step h = 1e-4 rad or m
  // along u = v / |v|:
  //   Jdot = |v| (8 (J(q + h u) - J(q - h u)) - (J(q + 2h u) - J(q - 2h u))) / 12h
  void difference(std::span<const double> q, std::span<const double> v,
                  std::span<double> J_dot) const {
    constexpr double h = 1e-4;
    std::ranges::fill(J_dot, 0.0);
    double speed = 0;
    for (const double rate : v) speed = std::hypot(speed, rate);
    if (speed == 0) return;
    std::vector<double> at(q.size()), J(J_dot.size()), unused(J_dot.size());
    for (const auto& [step, weight] :
         {std::pair{h, 8.0}, {-h, -8.0}, {2 * h, -1.0}, {-2 * h, 1.0}}) {
      for (size_t i = 0; i < q.size(); ++i) at[i] = q[i] + step * v[i] / speed;
      call(at, v, J, unused);
      for (size_t k = 0; k < J.size(); ++k) J_dot[k] += speed * weight * J[k] / (12 * h);
    }
  }

  int function_;
  uint64_t hash_;
  std::weak_ptr<LoadedScript> script_;
  std::shared_ptr<LoadedScript> kept_;
  std::string owner_;
};

// Returns a hash of the code of the function on top of the stack, without its line numbers, and of
// the numbers that it captures.
uint64_t hash_of_function(lua_State* L) {
  Hash hash;
  const auto add = [](lua_State*, const void* data, size_t size, void* to) {
    static_cast<Hash*>(to)->add(data, size);
    return 0;
  };
  constexpr int without_lines = 1;
  lua_dump(L, add, &hash, without_lines);
  for (int k = 1; lua_getupvalue(L, -1, k); ++k) {
    if (lua_type(L, -1) == LUA_TNUMBER) hash.add(lua_tonumber(L, -1));
    lua_pop(L, 1);
  }
  return hash.value();
}

}  // namespace

std::shared_ptr<const TransmissionLaw> law_of_function(lua_State* L, int index,
                                                       const std::string& owner) {
  lua_pushvalue(L, index);
  const uint64_t hash = hash_of_function(L);
  return std::make_shared<FunctionLaw>(luaL_ref(L, LUA_REGISTRYINDEX), hash,
                                       scene_of(L).script->weak_from_this(), owner);
}

std::optional<FunctionReference> function_of(const std::shared_ptr<const TransmissionLaw>& law) {
  const auto* own = dynamic_cast<const FunctionLaw*>(law.get());
  if (!own) return std::nullopt;
  return FunctionReference{own->function()};
}

void own_script(RobotDescription& robot, const std::shared_ptr<LoadedScript>& script) {
  for (TransmissionDescription& group : robot.transmissions)
    if (const auto* own = dynamic_cast<const FunctionLaw*>(group.law.get()))
      group.law = own->owning(script);
}

}  // namespace torsor::lua

#include "torsor/scripting/objects/scene.hpp"

namespace torsor::lua {

void push_handle(lua_State* L, void* object, const char* type) {
  *static_cast<void**>(lua_newuserdatauv(L, sizeof(void*), 0)) = object;
  luaL_setmetatable(L, type);
}

void* object_at(lua_State* L, int index, const char* type) {
  void* handle = luaL_testudata(L, index, type);
  return handle ? *static_cast<void**>(handle) : nullptr;
}

void make_type(lua_State* L, const char* type, std::span<const Function> methods) {
  luaL_newmetatable(L, type);
  lua_createtable(L, 0, int(methods.size()));
  add_functions(L, methods);
  make_strict(L, type);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

// Charges steps and memory in proportion to the number of links and frames. The memory stays
// charged, because models live as long as the script.
void charge_model(lua_State* L, std::span<const RobotObject* const> robots) {
  size_t n = 1;
  for (const RobotObject* robot : robots)
    n += robot->description.links.size() + robot->description.frames.size();
  Sandbox::of(L).charge(L, (long long)(1000 * n));
  Sandbox::of(L).charge_memory(L, bytes_per_link * n);
}

std::shared_ptr<const Model> build_alone(lua_State* L, const RobotObject& robot,
                                         const std::string& name, const Pose<double>& X_WR,
                                         std::span<const CollisionDescription> collisions,
                                         std::span<const CollisionPairDescription> pairs) {
  const bool any_inertia = Sandbox::of(L).context->any_inertia;
  const RobotObject* const list[] = {&robot};
  charge_model(L, list);
  RobotDescription description = robot.description;
  description.name = name;
  if (any_inertia) description.nonphysical = Nonphysical::allow;
  ModelBuilder builder;
  builder.add(description, X_WR);
  for (const CollisionDescription& collision : collisions) builder.add(collision);
  for (const CollisionPairDescription& pair : pairs) builder.add(pair);
  return builder.build();
}

namespace {

// Returns the rules of the world for pairs of shapes of the robot and of the world itself. The
// names of links of a world with several robots begin with "ROBOT.", also if the others are added
// later.
std::vector<CollisionPairDescription> own_pairs(const WorldObject& world,
                                                const RobotObject& robot) {
  std::vector<CollisionPairDescription> out;
  for (CollisionPairDescription pair : world.collision_pairs) {
    bool is_own = true;
    for (std::string& name : pair.names)
      for (const RobotObject* each : world.robots) {
        const std::string prefix = each->description.name + ".";
        if (!name.starts_with(prefix)) continue;
        if (each == &robot) name.erase(0, prefix.size());
        is_own &= each == &robot;
        break;
      }
    if (is_own) out.push_back(std::move(pair));
  }
  return out;
}

}  // namespace

const std::shared_ptr<const Model>& own_model(lua_State* L, RobotObject& robot) {
  if (!robot.model) (void)scene_of(L);  // throws Error if loading has ended
  return model_of_run(L, robot);
}

const std::shared_ptr<const Model>& model_of_run(lua_State* L, RobotObject& robot) {
  if (robot.model) return robot.model;
  static const WorldObject none;
  const WorldObject& world = robot.world ? *robot.world : none;
  robot.model = build_alone(L, robot, robot.description.name, robot.X_WR, world.collisions,
                            own_pairs(world, robot));
  return robot.model;
}

}  // namespace torsor::lua

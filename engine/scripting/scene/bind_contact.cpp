// Implements the methods of arm:dynamics for distances and contacts.

#include <fmt/format.h>

#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::lua {

namespace {

ContactDetector& detector_of(DynamicsObject& d) {
  if (!d.detector) d.detector = std::make_shared<ContactDetector>(d.state.model_ptr());
  return *d.detector;
}

// Charges the steps of `pairs` pairs: about 200 Lua instructions each.
void charge_pairs(lua_State* L, const Model& model, double pairs) {
  charge_kernels(L, model, 1);
  Sandbox::of(L).charge(L, (long long)(200 * pairs) + 20 * (long long)(model.colliders.size()));
}

// Returns the colliders of a link, or of the world, or the collider with this name.
std::vector<int> colliders_at(lua_State* L, int index, const DynamicsObject& d) {
  const Model& model = d.state.model();
  const std::string name = name_at(L, index, {d.owner, "distance"});
  std::vector<int> out;
  std::vector<std::string> known{"world"};
  for (int k = 0; k < int(model.colliders.size()); ++k) {
    const Collider& collider = model.colliders[size_t(k)];
    const std::string& link =
        collider.link < 0 ? known[0] : model.links[size_t(collider.link)].name;
    if (link == name || collider.name == name) out.push_back(k);
    known.push_back(link);
    known.push_back(collider.name);
  }
  if (out.empty())
    throw Error(fmt::format("{}: there is no collider, nor a link with one, named '{}'{}", d.owner,
                            name, did_you_mean(name, known)));
  return out;
}

void set_vector(lua_State* L, const char* key, const Vec3<double>& a) {
  set_list(L, key, std::vector{a.x, a.y, a.z});
}

void push_distance(lua_State* L, const Model& model, const ColliderDistance& distance) {
  lua_createtable(L, 0, 6);
  lua_pushnumber(L, distance.distance);
  lua_setfield(L, -2, "distance");
  push(L, model.colliders[size_t(distance.a)].name);
  lua_setfield(L, -2, "a");
  push(L, model.colliders[size_t(distance.b)].name);
  lua_setfield(L, -2, "b");
  set_vector(L, "point_a", distance.p_A);
  set_vector(L, "point_b", distance.p_B);
  set_vector(L, "normal", distance.n_W);
}

// Implements d:distance(a, b, q), the least distance between the colliders of two names.
int distance(lua_State* L) {
  DynamicsObject& d = called(L, "d:distance(a, b, q)", 3);
  const std::vector<int> a = colliders_at(L, 2, d), b = colliders_at(L, 3, d);
  set_state(L, d, 4);
  charge_pairs(L, d.state.model(), double(a.size()) * double(b.size()));
  std::optional<ColliderDistance> least;
  for (const int i : a)
    for (const int j : b)
      if (i != j)
        if (const ColliderDistance each = detector_of(d).distance(d.state, i, j);
            !least || each.distance < least->distance)
          least = each;
  if (!least) throw Error(fmt::format("{}: a collider has no distance from itself", d.owner));
  push_distance(L, d.state.model(), *least);
  return 1;
}

// Implements d:least_distance(q), the least distance of all pairs that may collide, or nil.
int least_distance(lua_State* L) {
  DynamicsObject& d = called(L, "d:least_distance(q)", 1);
  set_state(L, d, 2);
  charge_pairs(L, d.state.model(), double(d.state.model().colliders.size()));
  if (const auto least = detector_of(d).least_distance(d.state))
    push_distance(L, d.state.model(), *least);
  else
    lua_pushnil(L);
  return 1;
}

void push_contact(lua_State* L, const Model& model, const Contact& contact) {
  lua_createtable(L, 0, 9);
  push(L, model.colliders[size_t(contact.a)].name);
  lua_setfield(L, -2, "a");
  push(L, model.colliders[size_t(contact.b)].name);
  lua_setfield(L, -2, "b");
  const ContactMaterial material = contact_material(model, contact.a, contact.b);
  for (const auto& [key, value] : {std::pair{"mu", material.mu},
                                   {"restitution", material.restitution},
                                   {"torsional", material.torsional},
                                   {"rolling", material.rolling},
                                   {"stiffness", material.stiffness},
                                   {"damping", material.damping}}) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
  }
  lua_createtable(L, contact.count, 0);
  for (int k = 0; k < contact.count; ++k) {
    const ContactPoint& point = contact.points[size_t(k)];
    lua_createtable(L, 0, 4);
    set_vector(L, "position", point.p_W);
    set_vector(L, "normal", point.n_W);
    lua_pushnumber(L, point.gap);
    lua_setfield(L, -2, "gap");
    lua_pushinteger(L, lua_Integer(point.id));
    lua_setfield(L, -2, "id");
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "points");
}

// Implements d:contacts(q, margin), the contacts with a gap below the margin.
int contacts(lua_State* L) {
  if (lua_gettop(L) == 2) lua_pushnumber(L, 0);
  DynamicsObject& d = called(L, "d:contacts(q, margin)", 2);
  const double margin = number_at(L, 3, {d.owner, "margin"});
  set_state(L, d, 2);
  const Model& model = d.state.model();
  charge_pairs(L, model, double(model.colliders.size()));
  const auto found = detector_of(d).detect(d.state, margin);
  charge_pairs(L, model, double(found.size()));
  lua_createtable(L, int(found.size()), 0);
  for (size_t k = 0; k < found.size(); ++k) {
    push_contact(L, model, found[k]);
    lua_rawseti(L, -2, lua_Integer(k + 1));
  }
  return 1;
}

// Implements d:contact_forces(q, v, tau, { dt = }). Returns the mean forces at the points of the
// contacts over a step dt of time stepping from q and v.
int contact_forces(lua_State* L) {
  if (lua_gettop(L) == 4) lua_newtable(L);
  DynamicsObject& d = called(L, "d:contact_forces(q, v, tau, {...})", 4);
  require_solver(d);
  const TableReader table(L, 5, {fmt::format("contact_forces in {}", d.owner), ""}, {"dt"});
  const double dt = table.number_or("dt", Experiment{}.dt);
  set_state(L, d, 2);
  const std::vector<double> v = rates_at(L, 3, d, "v"), tau = rates_at(L, 4, d, "tau");
  const Model& model = d.state.model();
  const double n = double(v.size()), colliders = double(model.colliders.size());
  const CallCost cost(L, model, fmt::format("{}: contact_forces", d.owner),
                      {100 + 10 * n, 20 * colliders, 100 * (n + colliders)});
  charge_pairs(L, model, colliders);
  const std::vector<ContactForce> forces = owned(d.owner, [&] {
    Simulation run(d.state.model_ptr(), d.make_solver, Integrator::time_stepping, dt);
    run.set_gravity(d.state.gravity_W());
    run.begin({.tau = tau}, d.state.q(), v);
    return run.contact_forces();
  });
  charge_pairs(L, model, double(forces.size()));
  lua_createtable(L, int(forces.size()), 0);
  for (size_t k = 0; k < forces.size(); ++k) {
    const ContactForce& force = forces[k];
    lua_createtable(L, 0, 8);
    push(L, model.colliders[size_t(force.a)].name);
    lua_setfield(L, -2, "a");
    push(L, model.colliders[size_t(force.b)].name);
    lua_setfield(L, -2, "b");
    lua_pushnumber(L, force.gap);
    lua_setfield(L, -2, "gap");
    set_vector(L, "position", force.p_W);
    set_vector(L, "normal", force.n_W);
    set_vector(L, "force", force.f_W);
    set_vector(L, "moment", force.m_W);
    set_vector(L, "slip", force.slip_W);
    lua_rawseti(L, -2, lua_Integer(k + 1));
  }
  return 1;
}

}  // namespace

std::span<const Function> contact_functions() {
  static constexpr Function functions[] = {{"contact_forces", guarded<contact_forces>},
                                           {"contacts", guarded<contacts>},
                                           {"distance", guarded<distance>},
                                           {"least_distance", guarded<least_distance>}};
  return functions;
}

}  // namespace torsor::lua

// Tests of the C++ layer for plugins: the test calls the C tables that it makes from a struct.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/allocation_counter.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "torsor/sdk/trace.hpp"

namespace {

// The list of members contains every function of torsor_solver. Otherwise the C++ layer would not
// offer the missing function of a plugin.
#define TORSOR_TEST_ONE(NAME) +1
static_assert(sizeof(torsor_solver) ==
              offsetof(torsor_solver, inverse) +
                  sizeof(void*) * (0 TORSOR_SDK_SOLVER_MEMBERS(TORSOR_TEST_ONE)));
#undef TORSOR_TEST_ONE

// A solver with all optional members of the basic interface. Every call writes its own number and
// its arguments.
struct Full {
  static constexpr const char* id = "solver.full";
  static constexpr const char* version = "2.3";
  static constexpr const char* summary = "all there is";
  static constexpr const char* family = "planar_n_link";
  static constexpr const char* modes[] = {"slow", "fast", nullptr};
  static constexpr torsor_param params[] = {
      torsor::sdk::real("gain", "N m", "of the loop", -1, 5, 2, 3),
      torsor::sdk::integer("steps", "how many", 1, 9, 4),
      torsor::sdk::flag("exact", "or not", true),
      torsor::sdk::choice("mode", "how", modes, 1),
  };
  inline static int alive = 0;

  uint32_t last_index = 99;
  std::vector<double> last_values, table;

  Full() { ++alive; }
  ~Full() { --alive; }

  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 1 && values[0] == 7) throw torsor::sdk::bad_argument("not seven");
    last_index = index;
    last_values.assign(values.begin(), values.end());
  }
  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    if (model.n_v == 2) throw torsor::sdk::unsupported("not two");
    if (model.n_v == 3) throw std::runtime_error("three");
    if (model.n_v == 4) throw 4;
    if (model.n_v == 5) throw std::bad_alloc();
    table.assign(size_t(model.n_v), 10.0);
    sizes.work_doubles = 6 * table.size();
  }
  torsor_status write(int which, const torsor_model& m, const torsor_state& s, double in,
                      double* work, double* out) const {
    work[0] = 1;
    out[0] = which + table[0] + 100 * s.q[0] + 1000 * m.n_v + in;
    return TORSOR_STATUS(TORSOR_SINGULAR, which);
  }
  using Model = torsor_model;
  using State = torsor_state;
  torsor_status inverse(const Model& m, const State& s, const double* a, double* w,
                        double* o) const {
    return write(1, m, s, *a, w, o);
  }
  torsor_status forward(const Model& m, const State& s, const double* a, double* w,
                        double* o) const {
    return write(2, m, s, *a, w, o);
  }
  torsor_status mass_matrix(const Model& m, const State& s, double* w, double* o) const {
    return write(3, m, s, 0, w, o);
  }
  torsor_status inverse_mass_matrix(const Model& m, const State& s, double* w, double* o) const {
    return write(4, m, s, 0, w, o);
  }
  torsor_status coriolis_matrix(const Model& m, const State& s, double* w, double* o) const {
    return write(5, m, s, 0, w, o);
  }
  torsor_status gravity(const Model& m, const State& s, double* w, double* o) const {
    return write(6, m, s, 0, w, o);
  }
  torsor_status bias(const Model& m, const State& s, double* w, double* o) const {
    return write(7, m, s, 0, w, o);
  }
  torsor_status christoffel_symbols(const Model& m, const State& s, double* w, double* o) const {
    return write(8, m, s, 0, w, o);
  }
};

// A solver that also has all optional interfaces.
struct Derived : Full {
  static constexpr const char* id = "solver.derived";
  torsor_status inverse_partials(const Model& m, const State& s, const double* a, double* w,
                                 double* dq, double* dv) const {
    return dv[0] = -1, write(9, m, s, *a, w, dq);
  }
  torsor_status forward_partials(const Model& m, const State& s, const double* a, double* w,
                                 double* dq, double* dv, double* dtau) const {
    return dv[0] = -2, dtau[0] = -3, write(10, m, s, *a, w, dq);
  }
  static constexpr const char* inputs[] = {"v_i", nullptr};
  static constexpr torsor_trace_quantity motion[] = {
      {TORSOR_TRACE_TWIST, 0, "V", "twist", "V_i = V_p + S_i v_i", "V_i", "", inputs},
      {TORSOR_TRACE_JOINT_INERTIA, 0, "d", "inertia", "d_i = 1", "d_i", "", inputs}};
  static constexpr torsor_trace_quantity load[] = {
      {TORSOR_TRACE_WRENCH, 0, "F", "wrench", "F_i = 1", "F_i", "", inputs}};
  static constexpr torsor_trace_pass trace_passes[] = {torsor::sdk::outward_pass("motion", motion),
                                                       torsor::sdk::inward_pass("load", load)};
  static constexpr bool trace_of_forward = true;
  torsor_status trace(const Model& m, const State&, const double* a, double*, double* out) const {
    const torsor::sdk::Trace put(m, trace_passes, out);
    put(0, 1, torsor::Twist<double>{{1, 2, 3}, {4, 5, *a}});
    put(1, 2, 7.0);
    put(2, 0, torsor::Wrench<double>{{8, 9, 10}, {11, 12, 13}});
    return TORSOR_STATUS(TORSOR_SINGULAR, 11);
  }
};

// A solver with the minimum of members.
struct Least {
  static constexpr const char* id = "solver.least";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "forward alone";
  torsor_status forward(const torsor_model&, const torsor_state&, const double*, double*,
                        double*) const {
    throw torsor::sdk::Failure(TORSOR_SINGULAR, "nothing moves");
  }
};

struct Unborn : Least {
  static constexpr const char* id = "solver.unborn";
  Unborn() { throw std::runtime_error("stillborn"); }
};

// A trajectory that throws at odd times.
struct Moving {
  static constexpr const char* id = "trajectory.moving";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "a given motion";
  static constexpr torsor_param params[] = {torsor::sdk::configuration("from", "where it begins"),
                                            torsor::sdk::path("path", "on its way", 0),
                                            torsor::sdk::table("rows", "rad", "of numbers", -1, 2),
                                            torsor::sdk::pose("at", "of a frame"),
                                            torsor::sdk::poses("via", "of a frame")};
  std::vector<double> given[5];
  void set_param(uint32_t index, std::span<const double> values) {
    given[index].assign(values.begin(), values.end());
  }
  void describe(torsor_motion& out) const {
    if (given[0].empty()) throw torsor::sdk::bad_argument("it begins nowhere");
    out.duration = given[0][0];
  }
  torsor_status evaluate(double t, int order, double* work, double* out) const {
    if (order == 1) throw std::runtime_error("odd");
    out[0] = work[0] + t;
    return TORSOR_OK;
  }
};

struct Report {
  torsor_status status;
  std::string text;
};
// A host that stores every report of the plugin.
struct Host {
  std::vector<Report> reports;
  torsor_host table{sizeof(torsor_host), this,
                    [](const torsor_host* h, torsor_status status, const char* text) {
                      static_cast<Host*>(h->context)->reports.push_back({status, text});
                    },
                    [](const torsor_host*, const char*) -> const void* { return nullptr; }};
};

template <class P>
const torsor_descriptor& descriptor() {
  return *torsor::sdk::detail::entry<P>.descriptor[0];
}
const torsor_solver& solver(const torsor_plugin* plugin) {
  return *static_cast<const torsor_solver*>(plugin->get_interface(plugin, TORSOR_SOLVER));
}

TEST(PluginLayer, TheEntryListsThePluginsInOrder) {
  const torsor_entry& entry = torsor::sdk::detail::entry<Full, Least>;
  EXPECT_EQ(entry.abi_major, TORSOR_ABI_MAJOR);
  EXPECT_EQ(entry.abi_minor, TORSOR_ABI_MINOR);
  ASSERT_EQ(entry.n_descriptor, 2u);
  EXPECT_STREQ(entry.descriptor[0]->id, "solver.full");
  EXPECT_STREQ(entry.descriptor[1]->id, "solver.least");
}

TEST(PluginLayer, ADescriptorEqualsTheStruct) {
  const torsor_descriptor& full = descriptor<Full>();
  EXPECT_EQ(full.struct_size, sizeof(torsor_descriptor));
  EXPECT_STREQ(full.version, "2.3");
  EXPECT_STREQ(full.summary, "all there is");
  EXPECT_STREQ(full.family, "planar_n_link");
  ASSERT_EQ(full.n_param, 4u);
  EXPECT_EQ(full.param[0].type, TORSOR_REAL);
  EXPECT_EQ(full.param[0].count, 3u);
  EXPECT_STREQ(full.param[0].unit, "N m");
  EXPECT_EQ(full.param[1].type, TORSOR_INTEGER);
  EXPECT_EQ(full.param[2].type, TORSOR_FLAG);
  EXPECT_EQ(full.param[2].initial, 1);
  EXPECT_EQ(full.param[3].type, TORSOR_CHOICE);
  EXPECT_EQ(full.param[3].max, 1) << "the number of the last choice";
  EXPECT_STREQ(full.param[3].choices[1], "fast");
  EXPECT_STREQ(descriptor<Least>().family, "");
  EXPECT_EQ(descriptor<Least>().n_param, 0u);
}

TEST(PluginLayer, PartialsAreASeparateInterface) {
  Host host;
  torsor_plugin* without = descriptor<Full>().create(&host.table);
  EXPECT_EQ(without->get_interface(without, TORSOR_SOLVER_PARTIALS), nullptr);
  without->destroy(without);
  torsor_plugin* plugin = descriptor<Derived>().create(&host.table);
  EXPECT_TRUE(solver(plugin).inverse);
  const auto* table = static_cast<const torsor_solver_partials*>(
      plugin->get_interface(plugin, TORSOR_SOLVER_PARTIALS));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->struct_size, sizeof(torsor_solver_partials));
  torsor_model model{};
  model.n_v = 1;
  torsor_sizes sizes{sizeof(torsor_sizes), 0, 0, 0};
  ASSERT_EQ(plugin->prepare(plugin, &model, &sizes), TORSOR_OK);
  const double q = 0.5, in = 0.25;
  double work[6], out[3];
  torsor_state state{};
  state.q = &q;
  EXPECT_EQ(table->inverse_partials(plugin, &model, &state, &in, work, out, out + 1),
            TORSOR_STATUS(TORSOR_SINGULAR, 9));
  EXPECT_EQ(out[0], 9 + 10 + 50 + 1000 + 0.25);
  EXPECT_EQ(out[1], -1);
  EXPECT_EQ(table->forward_partials(plugin, &model, &state, &in, work, out, out + 1, out + 2),
            TORSOR_STATUS(TORSOR_SINGULAR, 10));
  EXPECT_EQ(out[0], 10 + 10 + 50 + 1000 + 0.25);
  EXPECT_EQ(out[2], -3);
  plugin->destroy(plugin);
}

TEST(PluginLayer, ATraceHasItsPassesAndWritesEveryQuantity) {
  Host host;
  torsor_plugin* without = descriptor<Full>().create(&host.table);
  EXPECT_EQ(without->get_interface(without, TORSOR_SOLVER_TRACE), nullptr);
  without->destroy(without);
  torsor_plugin* plugin = descriptor<Derived>().create(&host.table);
  const auto* table =
      static_cast<const torsor_solver_trace*>(plugin->get_interface(plugin, TORSOR_SOLVER_TRACE));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->struct_size, sizeof(torsor_solver_trace));
  EXPECT_EQ(table->of_forward, 1);
  ASSERT_EQ(table->n_pass, 2u);
  EXPECT_EQ(table->pass[0].inward, 0);
  EXPECT_EQ(table->pass[0].n_quantity, 2u);
  EXPECT_EQ(table->pass[1].inward, 1);
  EXPECT_STREQ(table->pass[1].quantity[0].symbol, "F");
  torsor_model model{};
  model.n_body = 2;
  model.n_v = 3;
  const torsor_state state{};
  const double given = 6;
  std::vector<double> out(12 + 3 + 12), expected(out.size());
  for (size_t k = 0; k < 6; ++k) expected[6 + k] = double(k + 1), expected[15 + k] = double(k + 8);
  expected[12 + 2] = 7;
  EXPECT_EQ(table->trace(plugin, &model, &state, &given, nullptr, out.data()),
            TORSOR_STATUS(TORSOR_SINGULAR, 11));
  EXPECT_EQ(out, expected);
  plugin->destroy(plugin);
}

TEST(PluginLayer, MissingMembersAreNotOffered) {
  Host host;
  torsor_plugin* plugin = descriptor<Least>().create(&host.table);
  ASSERT_TRUE(plugin);
  const torsor_solver& table = solver(plugin);
  EXPECT_TRUE(table.forward);
  EXPECT_FALSE(table.inverse || table.mass_matrix || table.inverse_mass_matrix ||
               table.coriolis_matrix || table.gravity || table.bias || table.christoffel_symbols);
  EXPECT_EQ(plugin->get_interface(plugin, "torsor.solver/2"), nullptr);
  torsor_sizes sizes{sizeof(torsor_sizes), 0, 0, 0};
  EXPECT_EQ(plugin->prepare(plugin, nullptr, &sizes), TORSOR_OK);
  EXPECT_EQ(sizes.work_doubles, 0u);
  EXPECT_EQ(plugin->set_param(plugin, 0, nullptr, 0), TORSOR_BAD_ARGUMENT);
  plugin->destroy(plugin);
}

TEST(PluginLayer, EveryCallReachesItsMemberWithoutAllocation) {
  Host host;
  torsor_plugin* plugin = descriptor<Full>().create(&host.table);
  EXPECT_EQ(Full::alive, 1);
  torsor_model model{};
  model.n_v = 1;
  torsor_sizes sizes{sizeof(torsor_sizes), 0, 0, 0};
  ASSERT_EQ(plugin->prepare(plugin, &model, &sizes), TORSOR_OK);
  EXPECT_EQ(sizes.work_doubles, 6u);
  const double q = 3, in = 0.5;
  torsor_state state{};
  state.q = &q;
  const torsor_solver& t = solver(plugin);
  double work[6], out[8];
  torsor_status status[8];
  const long before = torsor::allocations();
  status[0] = t.inverse(plugin, &model, &state, &in, work, &out[0]);
  status[1] = t.forward(plugin, &model, &state, &in, work, &out[1]);
  status[2] = t.mass_matrix(plugin, &model, &state, work, &out[2]);
  status[3] = t.inverse_mass_matrix(plugin, &model, &state, work, &out[3]);
  status[4] = t.coriolis_matrix(plugin, &model, &state, work, &out[4]);
  status[5] = t.gravity(plugin, &model, &state, work, &out[5]);
  status[6] = t.bias(plugin, &model, &state, work, &out[6]);
  status[7] = t.christoffel_symbols(plugin, &model, &state, work, &out[7]);
  EXPECT_EQ(torsor::allocations(), before);
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(out[k], (k + 1) + 10 + 300 + 1000 + (k < 2 ? in : 0)) << k;
    EXPECT_EQ(status[k], TORSOR_STATUS(TORSOR_SINGULAR, k + 1)) << k;
  }
  plugin->destroy(plugin);
  EXPECT_EQ(Full::alive, 0);
  EXPECT_TRUE(host.reports.empty());
}

TEST(PluginLayer, AnExceptionIsAStatusAndOneReport) {
  Host host;
  torsor_plugin* plugin = descriptor<Full>().create(&host.table);
  torsor_sizes sizes{sizeof(torsor_sizes), 0, 0, 0};
  const struct {
    int n_v;
    torsor_status status;
    const char* text;
  } cases[] = {{2, TORSOR_UNSUPPORTED, "not two"},
               {3, TORSOR_INTERNAL, "three"},
               {4, TORSOR_INTERNAL, "an exception that is not a std::exception"},
               {5, TORSOR_INTERNAL, "out of memory"}};
  for (const auto& c : cases) {
    torsor_model model{};
    model.n_v = c.n_v;
    host.reports.clear();
    EXPECT_EQ(plugin->prepare(plugin, &model, &sizes), c.status);
    ASSERT_EQ(host.reports.size(), 1u);
    EXPECT_EQ(host.reports[0].status, c.status);
    EXPECT_EQ(host.reports[0].text, c.text);
  }
  plugin->destroy(plugin);

  torsor_plugin* least = descriptor<Least>().create(&host.table);
  const torsor_model model{};
  const torsor_state state{};
  host.reports.clear();
  EXPECT_EQ(solver(least).forward(least, &model, &state, nullptr, nullptr, nullptr),
            TORSOR_SINGULAR);
  ASSERT_EQ(host.reports.size(), 1u);
  EXPECT_EQ(host.reports[0].text, "nothing moves");
  least->destroy(least);
}

TEST(PluginLayer, ATrajectoryOffersBothItsCalls) {
  const torsor_descriptor& row = descriptor<Moving>();
  ASSERT_EQ(row.n_param, 5u);
  const int types[] = {TORSOR_CONFIGURATION, TORSOR_PATH, TORSOR_TABLE, TORSOR_POSE, TORSOR_POSES};
  const uint32_t counts[] = {1, 0, 1, 1, 1};
  for (size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(row.param[k].type, types[k]);
    EXPECT_EQ(row.param[k].count, counts[k]);
  }
  EXPECT_EQ(row.param[2].max, 2);
  Host host;
  torsor_plugin* plugin = row.create(&host.table);
  EXPECT_EQ(plugin->get_interface(plugin, TORSOR_SOLVER), nullptr);
  EXPECT_EQ(plugin->get_interface(plugin, TORSOR_FORCE), nullptr);
  const auto* table =
      static_cast<const torsor_trajectory*>(plugin->get_interface(plugin, TORSOR_TRAJECTORY));
  ASSERT_TRUE(table);
  torsor_motion motion{};
  motion.struct_size = sizeof motion;
  EXPECT_EQ(table->describe(plugin, &motion), TORSOR_BAD_ARGUMENT);
  const double values[] = {3};
  EXPECT_EQ(plugin->set_param(plugin, 0, values, 1), TORSOR_OK);
  EXPECT_EQ(table->describe(plugin, &motion), TORSOR_OK);
  EXPECT_EQ(motion.duration, 3);
  double work = 10, out = 0;
  EXPECT_EQ(table->evaluate(plugin, 0.5, 0, &work, &out), TORSOR_OK);
  EXPECT_EQ(out, 10.5);
  EXPECT_EQ(table->evaluate(plugin, 0.5, 1, &work, &out), TORSOR_INTERNAL);
  ASSERT_EQ(host.reports.size(), 2u);
  EXPECT_EQ(host.reports[0].text, "it begins nowhere");
  EXPECT_EQ(host.reports[1].text, "odd");
  plugin->destroy(plugin);
}

TEST(PluginLayer, AThrowingConstructorIsReported) {
  Host host;
  EXPECT_EQ(descriptor<Unborn>().create(&host.table), nullptr);
  ASSERT_EQ(host.reports.size(), 1u);
  EXPECT_EQ(host.reports[0].text, "stillborn");
}

TEST(PluginLayer, ParametersArriveByIndex) {
  Host host;
  torsor_plugin* plugin = descriptor<Full>().create(&host.table);
  const Full& full = torsor::sdk::detail::Adapter<Full>::of(plugin).plugin;
  const double values[] = {1, 2, 3};
  EXPECT_EQ(plugin->set_param(plugin, 0, values, 3), TORSOR_OK);
  EXPECT_EQ(full.last_index, 0u);
  EXPECT_EQ(full.last_values, (std::vector<double>{1, 2, 3}));
  const double seven = 7;
  EXPECT_EQ(plugin->set_param(plugin, 1, &seven, 1), TORSOR_BAD_ARGUMENT);
  EXPECT_EQ(plugin->set_param(plugin, 4, &seven, 1), TORSOR_BAD_ARGUMENT);
  ASSERT_EQ(host.reports.size(), 2u);
  EXPECT_EQ(host.reports[0].text, "not seven");
  EXPECT_EQ(full.last_index, 0u);
  plugin->destroy(plugin);
}

}  // namespace

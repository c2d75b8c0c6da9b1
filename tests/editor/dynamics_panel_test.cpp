// Tests of the panels of dynamics and solvers: units, copies, numbers that fit, and drawing.

#include <gmock/gmock.h>
#include <imgui.h>

#include <lua.hpp>
#include <regex>

#include "editor/app/editor.hpp"
#include "editor/app/fonts.hpp"
#include "editor/panels/dynamics/dynamics.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/solvers/solvers.hpp"
#include "editor/probe/probe.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/probe/solver_watch.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_options.hpp"
#include "editor/still_states.hpp"
#include "editor/widgets/number_cells.hpp"
#include "editor/widgets/widgets.hpp"
#include "support/error_of.hpp"
#include "support/eventually.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;
using testing::HasSubstr;

// Returns a revolute joint followed by a prismatic joint, so that quantities mix units of angle and
// length.
std::shared_ptr<const Model> turn_and_slide() {
  RobotDescription robot;
  robot.name = "robot";
  const auto add = [&](const char* name, const char* parent, JointKind kind, Vec3<double> axis) {
    LinkDescription link;
    link.name = name;
    link.parent = parent;
    link.joint.name = std::string(name) + "_joint";
    link.joint.kind = kind;
    ScrewPlacement screw;
    screw.axis = axis;
    link.joint.placement = screw;
    link.inertia = inertia_about_com(2, {0.3, 0.1, 0.2}, {0.02, 0.03, 0.04, 0, 0, 0});
    robot.links.push_back(link);
  };
  add("column", "", JointKind::revolute, {0, 0, 1});
  add("slide", "column", JointKind::prismatic, {1, 0, 0});
  return build(robot);
}

struct Shown {
  explicit Shown(std::shared_ptr<const Model> model) {
    Random random(5);
    Experiment experiment = experiment_of(model);
    experiment.load.tau = random_values(random, model->n_v, 5);
    probe.look_at(state_of(still_scene(std::move(experiment)), 0,
                           random_position(random, *model, 1),
                           random_values(random, model->n_v, 2)));
  }
  NumberTable table(DynamicsView view, int k = 0) { return dynamics_table(probe, view, {1, k}); }
  Probe probe;
};

TEST(DynamicsTable, EveryEntryHasItsUnit) {
  Shown shown(turn_and_slide());
  const auto units = [&](DynamicsView view) {
    const NumberTable table = shown.table(view);
    std::vector<std::string> out;
    for (size_t i = 0; i < table.rows.size(); ++i)
      for (size_t j = 0; j < table.columns.size(); ++j) out.push_back(table.unit(i, j));
    return out;
  };
  using testing::ElementsAre;
  EXPECT_THAT(units(DynamicsView::M), ElementsAre("kg m^2", "kg m", "kg m", "kg"));
  EXPECT_THAT(units(DynamicsView::C), ElementsAre("kg m^2/s", "kg m/s", "kg m/s", "kg/s"));
  EXPECT_THAT(units(DynamicsView::Minv), ElementsAre("1/(kg m^2)", "1/(kg m)", "1/(kg m)", "1/kg"));
  EXPECT_THAT(units(DynamicsView::bias), ElementsAre("N m", "N"));
  EXPECT_THAT(units(DynamicsView::vdot), ElementsAre("rad/s^2", "m/s^2"));
  EXPECT_THAT(units(DynamicsView::J), ElementsAre("1", "rad/m", "1", "rad/m", "1", "rad/m",  //
                                                  "m/rad", "1", "m/rad", "1", "m/rad", "1"));
  EXPECT_THAT(units(DynamicsView::dtau_dq), ElementsAre("N m/rad", "N", "N/rad", "N/m"));
  EXPECT_THAT(units(DynamicsView::dvdot_dv), ElementsAre("1/s", "rad/(m s)", "m/(rad s)", "1/s"));
  EXPECT_THAT(units(DynamicsView::g_dot), ElementsAre("N m/s", "N/s"));
  EXPECT_EQ(shown.table(DynamicsView::christoffel, 0).unit(0, 1), "kg m");
  EXPECT_EQ(shown.table(DynamicsView::christoffel, 1).unit(1, 1), "kg/m");
  EXPECT_EQ(shown.table(DynamicsView::M).common_unit(), "");
  EXPECT_EQ(shown.table(DynamicsView::M).units(), "kg m^2, kg m, kg");
}

TEST(DynamicsTable, ReportsWhatTheHostDerives) {
  Shown shown(turn_and_slide());
  EXPECT_EQ(shown.table(DynamicsView::M).source, "newton_euler");
  EXPECT_EQ(shown.table(DynamicsView::vdot).source, "newton_euler, derived");
  EXPECT_THAT(shown.table(DynamicsView::J).source, HasSubstr("angular part first"));
}

// Returns the numbers of the lines that are not comments.
std::vector<double> numbers_of(const std::string& text, const std::string& comment) {
  std::string rest;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(comment)) rest += line + "\n";
  static const std::regex power(R"(\s*\\times 10\^\{([-0-9]+)\})");
  rest = std::regex_replace(rest, power, "e$1");
  static const std::regex number(R"(-?[0-9][-+.0-9e]*)");
  std::vector<double> out;
  for (std::sregex_iterator at(rest.begin(), rest.end(), number), end; at != end; ++at)
    out.push_back(std::stod(at->str()));
  return out;
}

std::vector<double> numbers_by_lua(const std::string& text, const char* name) {
  lua_State* L = luaL_newstate();
  std::vector<double> out;
  EXPECT_EQ(luaL_dostring(L, (text + "return " + name).c_str()), LUA_OK) << text;
  for (int i = 1; lua_istable(L, -1) && lua_geti(L, -1, i) != LUA_TNIL; ++i) {
    if (lua_isnumber(L, -1)) out.push_back(lua_tonumber(L, -1));
    for (int j = 1; lua_istable(L, -1) && lua_geti(L, -1, j) != LUA_TNIL; ++j) {
      out.push_back(lua_tonumber(L, -1));
      lua_pop(L, 1);
    }
    lua_settop(L, 1);
  }
  lua_close(L);
  return out;
}

TEST(DynamicsCopy, ReproducesTheSameNumbers) {
  Shown shown(build(random_robot(5, test::Shape::tree, 7)));
  for (const DynamicsRow& row : dynamics_rows()) {
    const NumberTable table = shown.table(row.view);
    if (!table.failure.empty()) {  // newton_euler does not provide this quantity
      EXPECT_THAT(table.failure, HasSubstr("choose lie_group")) << row.name;
      continue;
    }
    ASSERT_FALSE(table.x.empty()) << row.name;
    EXPECT_EQ(numbers_by_lua(as_text(table, "lua"), table.name.c_str()), table.x)
        << as_text(table, "lua");
    EXPECT_EQ(numbers_of(as_text(table, "csv"), "#"), table.x) << as_text(table, "csv");
    EXPECT_EQ(numbers_of(as_text(table, "latex"), "%"), table.x) << as_text(table, "latex");
  }
}

TEST(DynamicsCopy, SaysWhatItIs) {
  Shown shown(turn_and_slide());
  EXPECT_THAT(
      as_text(shown.table(DynamicsView::M), "csv"),
      testing::StartsWith("# Mass matrix M; newton_euler\n# rows: column_joint, slide_joint\n"
                          "# columns: column_joint, slide_joint\n"
                          "# units: kg m^2, kg m; kg m, kg\n"));
  try {
    (void)as_text(shown.table(DynamicsView::M), "xml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no format 'xml'; use lua, latex or csv");
  }
}

TEST(NumberFormat, IsTheFinestThatFits) {
  const std::vector<double> x = {3.14159, -0.25, 0};
  const auto format = [](const std::vector<double>& numbers, size_t characters) {
    return number_format(numbers,
                         [=](const std::string& text) { return text.size() <= characters; });
  };
  EXPECT_EQ(format(x, 8)->text(3.14159), "3.142");
  EXPECT_EQ(format(x, 5)->text(-0.25), "-0.25");
  EXPECT_EQ(format(x, 4)->text(3.14159), "3.1");
  EXPECT_EQ(format(x, 4)->text(-0.001), "0.0");
  EXPECT_FALSE(format(x, 3));  // "-0.2" does not fit
  EXPECT_EQ(format({123.4, 1}, 3)->text(123.4), "123");
  const auto small = format({2.5e-5, -1e-6}, 8);
  EXPECT_EQ(small->exponent, -6);
  EXPECT_EQ(small->text(2.5e-5), "25.000");
}

TEST(Solvers, ShortTexts) {
  EXPECT_EQ(initials("solver.articulated_body"), "AB");
  EXPECT_EQ(initials("short"), "S");
  EXPECT_EQ(microseconds_text(512.4), "0.512");
  EXPECT_EQ(microseconds_text(999.7), "1.00");
  EXPECT_EQ(microseconds_text(12345), "12.3");
  EXPECT_EQ(microseconds_text(4.56e6), "4560");
}

// A fixture for panels that ImGui draws without a display.
class Panels : public testing::Test {
 protected:
  Panels()
      : editor(shipped_plugins(),
               {std::string(TORSOR_SOURCE_DIR) + "/scenes/iiwa_free_swing.lua", {}, ""}, {}) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {1280, 800};
    apply_theme(true, 1);
    load_fonts(1);
    EXPECT_TRUE(torsor::test::eventually([&] {
      editor.begin_frame();
      return editor.has_scene();
    }));
  }
  ~Panels() override { ImGui::DestroyContext(); }

  // Draws a panel into a pane of this width. Returns the number of vertices drawn.
  int draw(const char* name, float width) {
    ImGui::NewFrame();
    editor.begin_frame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({width, 400});
    ImGui::Begin(name);
    editor.panels.at(panel_row(name)).draw(editor);
    ImGui::End();
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  }
  std::string error_of(const char* action, const Arguments& arguments) {
    return torsor::test::error_of([&] { run_action(editor, action, arguments); });
  }

  Editor editor;
};

TEST_F(Panels, DrawEveryViewAtAnyWidth) {
  ASSERT_TRUE(editor.has_scene());
  for (const float width : {120.0f, 280.0f, 340.0f, 1200.0f})
    for (const DynamicsRow& row : dynamics_rows()) {
      run_action(editor, "dynamics.show", {row.name});
      EXPECT_GT(draw("dynamics", width), 500) << row.name << " " << width;
    }
  for (int frame = 0; frame < 10; ++frame) EXPECT_GT(draw("solvers", 340), 500);
  EXPECT_TRUE(editor.probe.watch_solvers().compared());
  run_action(editor, "solver.show", {"history"});
  run_action(editor, "solver.timed", {"mass_matrix"});
  for (const char* view : {"ledger", "power"}) {
    run_action(editor, "energy.show", {view});
    // The panel requests its signal while it is drawn.
    draw("energy", 320);
    editor.begin_frame();
    ASSERT_TRUE(editor.sampler.wait(std::chrono::seconds(60)));
    EXPECT_GT(draw("energy", 320), 200) << view;
  }
  EXPECT_GT(draw("solvers", 320), 500);
  EXPECT_THAT(error_of("solver.timed", {"christoffel_symbols"}), HasSubstr("is not timed"));
  EXPECT_THAT(error_of("energy.show", {"joule"}), HasSubstr("ledger or power"));
}

TEST_F(Panels, ExplainEveryQuantityAtAnyWidth) {
  ASSERT_TRUE(editor.has_scene());
  for (const char* solver :
       {"lie_group", "lagrange_christoffel", "newton_euler", "articulated_body"}) {
    run_action(editor, "explain.solver", {solver});
    const TraceTable& table = explained_step(editor).value().tracer.table();
    for (const TracedQuantity& quantity : table.quantities) {
      run_action(editor, "explain.quantity", {quantity.symbol});
      for (const float width : {120.0f, 340.0f})
        EXPECT_GT(draw("explain", width), 500) << quantity.symbol;
    }
  }
  run_action(editor, "explain.first");
  run_action(editor, "explain.back");
  EXPECT_EQ(editor.panel<ExplainPanel>().step, 0);
  run_action(editor, "explain.last");
  run_action(editor, "explain.next");
  const ExplainedStep last = explained_step(editor).value();
  EXPECT_EQ(editor.panel<ExplainPanel>().step + 1, int(last.tracer.steps().size()));
  EXPECT_EQ(last.tracer.table().quantities[size_t(last.step.quantity)].symbol, "A");
  EXPECT_THAT(error_of("explain.quantity", {"zz"}),
              testing::HasSubstr("has no quantity 'zz'; use one of: w, k, gamma"));
  EXPECT_THAT(error_of("explain.solver", {"planar_lagrange"}),
              testing::HasSubstr("cannot explain its recursion; use one of"));
  EXPECT_THAT(error_of("explain.pass", {"4"}), testing::HasSubstr("has passes 1 to 3"));
}

TEST_F(Panels, ActionsChooseAndCopy) {
  ASSERT_TRUE(editor.has_scene());
  run_action(editor, "dynamics.frame", {"link3"});
  EXPECT_EQ(editor.panel<DynamicsPanel>().view, DynamicsView::J);
  run_action(editor, "dynamics.copy", {"csv"});
  EXPECT_THAT(ImGui::GetClipboardText(), HasSubstr("frame 'link3'"));
  EXPECT_THAT(ImGui::GetClipboardText(), HasSubstr("t = 0 s"));
  run_action(editor, "dynamics.show", {"Minv"});
  EXPECT_EQ(editor.panel<DynamicsPanel>().view, DynamicsView::Minv);
  run_action(editor, "dynamics.christoffel", {"joint3", "joint1", "joint2"});
  run_action(editor, "dynamics.copy", {"lua"});
  EXPECT_THAT(ImGui::GetClipboardText(), HasSubstr("k = joint3"));
  EXPECT_THAT(error_of("dynamics.christoffel", {"joint9"}), HasSubstr("did you mean 'joint1'?"));

  EXPECT_THAT(error_of("dynamics.show", {"Minf"}), HasSubstr("did you mean 'Minv'?"));
  EXPECT_THAT(error_of("dynamics.frame", {"lnik3"}), HasSubstr("did you mean 'link3'?"));
  EXPECT_EQ(editor.panel<DynamicsPanel>().frame, "link3");
  EXPECT_THAT(error_of("solver.choose", {"newton"}), HasSubstr("newton"));

  run_action(editor, "solver.choose", {"lie_group"});
  EXPECT_TRUE(torsor::test::eventually([&] { return editor.session.idle(); }));
  editor.begin_frame();
  EXPECT_EQ(editor.now->solver(), "solver.lie_group");
  EXPECT_EQ(editor.probe.solver().id(), "solver.lie_group");
}

// Checks the formulae of a small robot, and that a large one has none.
TEST_F(Panels, ShowTheFormulaeOfSmallRobots) {
  EXPECT_THAT(error_of("dynamics.copy_formula", {}), HasSubstr("there is no formula"));
  EXPECT_THAT(error_of("dynamics.entry", {"joint1", "joint9"}), HasSubstr("did you mean"));
  const auto scene =
      still_scene(experiment_of(build(planar_n_link(Vector::Ones(2), Vector::Ones(2)))));
  const std::vector<double> rest(2);
  editor.now = state_of(scene, 0, rest, rest);
  editor.probe.look_at(editor.now);
  run_action(editor, "dynamics.show", {"M"});
  run_action(editor, "dynamics.entry", {"joint1", "joint2"});
  run_action(editor, "dynamics.copy_formula");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()),
            "M_{12} = m_{2}\\,r_{2x}^{2} + m_{2}\\,r_{2x}\\,p_{2x}\\,c_{2}\n");
  run_action(editor, "dynamics.show", {"bias"});
  run_action(editor, "dynamics.copy_formula");
  EXPECT_THAT(ImGui::GetClipboardText(), HasSubstr("\nb_{2} = "));
}

TEST_F(Panels, ASolverThatRefusesTheModelIsNotChosen) {
  ASSERT_TRUE(editor.has_scene());
  auto scene = std::make_shared<Scene>(editor.scene());
  for (SolverChoice& choice : scene->solvers)
    if (choice.id == "solver.lie_group") choice.rejection = "it is for planar chains";
  editor.now = state_of(scene, 0, scene->experiment.q, scene->experiment.v);
  EXPECT_EQ(error_of("solver.choose", {"lie_group"}),
            "solver.choose: solver 'solver.lie_group' does not support this model: it is for "
            "planar chains");
}

}  // namespace
}  // namespace torsor::editor::test

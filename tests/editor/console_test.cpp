// Tests of the console: Lua during a run, without a window.

#include "editor/console/console.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "editor/console/console_history.hpp"
#include "editor/probe/probe.hpp"
#include "editor/session_fixture.hpp"
#include "torsor/scripting/prompt/prompt.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConsoleTest : public SessionTest {
 protected:
  void open(const std::string& text) {
    session_.emplace(shipped_plugins(), SessionOptions{write("arm.lua", text), {}, {}});
    (void)settled(*session_);
    console_.emplace(*session_);
  }
  void TearDown() override {
    console_.reset();
    session_.reset();
    SessionTest::TearDown();
  }

  // Executes the actions of the window that the tests need.
  void act(const std::string& name, const std::vector<std::string>& arguments) {
    if (name == "time.step")
      return session_->post(command::Step{std::stoll(arguments.empty() ? "1" : arguments[0])});
    if (name == "edit.position")
      return session_->post(command::Edit{
          session_->now()->scene,
          command::SetPosition{arguments.at(0) == "hinge" ? 0 : 1, std::stod(arguments.at(1))}});
    if (name == "edit.undo") return session_->post(command::Undo{});
    if (name == "time.play") return session_->post(command::Play{});
    if (name == "solver.choose") return session_->post(command::SetSolver{arguments.at(0)});
    throw Error("there is no action '" + name + "'");
  }
  void serve() {
    console_->serve([this](const auto& name, const auto& arguments) { act(name, arguments); });
  }
  // Returns the lines that a chunk prints.
  std::vector<std::string> run(const std::string& chunk) {
    console_->clear();
    console_->run(chunk);
    EXPECT_TRUE(eventually([&] {
      serve();
      return !console_->busy();
    }));
    std::vector<std::string> out;
    for (const Console::Line& line : console_->lines())
      if (line.kind != Console::Line::Kind::input) out.push_back(line.text);
    return out;
  }
  std::string line(const std::string& chunk) {
    const std::vector<std::string> lines = run(chunk);
    return lines.size() == 1 ? lines[0] : testing::PrintToString(lines);
  }
  std::vector<std::string> completions(const std::string& text) {
    console_->complete(text);
    std::optional<Console::Completions> found;
    EXPECT_TRUE(eventually([&] { return (found = console_->take_completions()).has_value(); }));
    return found ? found->names : std::vector<std::string>();
  }

  std::optional<Session> session_;
  std::optional<Console> console_;
};

TEST_F(ConsoleTest, ValuesAreTheEngines) {
  open(pendulum_scene);
  EXPECT_EQ(line("1 + 1"), "2");
  EXPECT_EQ(line("0.1 + 0.2"), "0.30000000000000004");
  EXPECT_EQ(line("arm.q"), "{ 2.0, 0.1 }");
  EXPECT_EQ(line("arm.q.slide, state.q[1], state.t"), "0.1\t2.0\t0.0");
  Probe probe;
  probe.look_at(session_->now());
  const std::vector<double> M = probe.answer(Quantity::mass_matrix).x,
                            vdot = probe.acceleration().x;
  const auto padded = [&](double x) {
    size_t width = 0;
    for (const double each : M) width = std::max(width, fmt::format("{}", each).size());
    return fmt::format("{:>{}}", fmt::format("{}", x), width);
  };
  EXPECT_THAT(run("arm:mass_matrix()"),
              ElementsAre(fmt::format("{{{{ {}, {} }},", padded(M[0]), padded(M[1])),
                          fmt::format(" {{ {}, {} }}}}", padded(M[2]), padded(M[3]))))
      << "a matrix is shown by its rows, to the last bit";
  EXPECT_EQ(line("arm.vdot"), fmt::format("{{ {}, {} }}", vdot[0], vdot[1]));
  EXPECT_EQ(
      line("local d = 0; local f = arm:forward(nil, nil, {0, 0}); local b = arm:bias()\n"
           "for i, t in ipairs(arm:inverse(nil, nil, f)) do d = math.max(d, math.abs(t)) end\n"
           "return d < 1e-12, #b"),
      "true\t2");
  EXPECT_EQ(line("#arm:joint_wrenches().hinge"), "6");
  EXPECT_EQ(line("arm:pose('tip', {0, 0}).xyz"), "{ 0.0, 0.0, -1.0 }");
}

TEST_F(ConsoleTest, ClosedMechanismsAreEvaluated) {
  open(text_of(source_file("scenes/four_bar.lua")));
  EXPECT_EQ(line("local c = state:constraints() return #c.error, c.rank, c.error[1] < 1e-14"),
            "5\t2\ttrue");
  EXPECT_EQ(line("return math.abs(linkage:constrained_forward()[1] - linkage.vdot.drive) < 1e-8"),
            "true");
}

TEST_F(ConsoleTest, NamesStayAndTheLastValueToo) {
  open(pendulum_scene);
  EXPECT_THAT(run("x = { a = 1, 'two', [7] = {} }"), IsEmpty());
  EXPECT_EQ(line("x"), "{ \"two\", [7] = {}, a = 1 }");
  EXPECT_EQ(line("6 * 7"), "42");
  EXPECT_EQ(line("_ / 4"), "10.5");
  EXPECT_THAT(run("print('a', {1, 2}) print()"), ElementsAre("a\t{ 1, 2 }", ""));
  EXPECT_EQ(line("require('torsor').robot{ name = 'other' } ~= nil"), "true");
}

TEST_F(ConsoleTest, WhatItDoesIsAnEditLikeTheSliders) {
  open(pendulum_scene);
  EXPECT_EQ(line("step(20) return state.step, state.t"), "20\t0.02");
  EXPECT_EQ(line("set_q('slide', 0.25) return arm.q.slide"), "0.25");
  EXPECT_EQ(session_->now()->timeline.changes().size(), 1u);
  EXPECT_EQ(session_->now()->undoable, 1);
  EXPECT_EQ(line("undo() return arm.q.slide == 0.25"), "false");
  EXPECT_EQ(line("solver('newton_euler') return state.solver"), "newton_euler");
  Session other(shipped_plugins(), SessionOptions{folder_ / "arm.lua", {}, {}});
  (void)settled(other);
  other.post(command::Step{20});
  (void)settled(other);
  other.post(command::SetSolver{"newton_euler"});
  (void)settled(other);
  other.post(command::Step{30});
  const auto expected = settled(other);
  EXPECT_EQ(line("for i = 1, 30 do step() end return state.step"), "50");
  expect_same(session_->now()->state, expected->state);
}

TEST_F(ConsoleTest, ErrorsAreOneLineWithAPlace) {
  open(pendulum_scene);
  EXPECT_EQ(line("arm.qq"), "console:1: robot 'arm' has no 'qq'; did you mean 'q'?");
  EXPECT_EQ(line("local a = 1\nerror('no')"), "console:2: no");
  EXPECT_THAT(line("1 +"), HasSubstr("console:1: unexpected symbol near"));
  EXPECT_EQ(line("armm"), "console:1: 'armm' is not defined; did you mean 'arm'?");
  EXPECT_EQ(line("arm.q.hing"), "console:1: there is no joint 'hing'; did you mean 'hinge'?");
  EXPECT_EQ(line("action('no.such')"), "console:1: there is no action 'no.such'");
  EXPECT_EQ(line("set_q('hinge', {})"),
            "console:1: an argument is a table; it must be a number, a string, true or false");
  EXPECT_THAT(line("arm.mass_matrix()"), HasSubstr("with a colon, as in state:mass_matrix()"));
  EXPECT_THAT(line("state.t = 3"), HasSubstr("the state is read-only"));
  EXPECT_THAT(*console_->take_failure(), HasSubstr("'qq'")) << "the first";
  EXPECT_FALSE(console_->take_failure());
  EXPECT_THAT(line("solver('nonsense')"), HasSubstr("there is no solver 'nonsense'"))
      << "the run's own";
}

TEST_F(ConsoleTest, ItIsASandbox) {
  open(pendulum_scene);
  for (const char* chunk : {"os.time()", "io.open('x')", "debug.sethook()", "package.path"})
    EXPECT_THAT(line(chunk), HasSubstr("is not available to scripts")) << chunk;
  for (const char* chunk : {"load('x')", "dofile('x')", "collectgarbage()"})
    EXPECT_THAT(line(chunk), HasSubstr("is not defined")) << chunk;
  EXPECT_THAT(line("local t = {} for i = 1, 1e9 do t[i] = i end"), HasSubstr("of memory"));
  EXPECT_EQ(line("'and goes on'"), "and goes on");
  EXPECT_THAT(line("('a'):rep(1e9)"), HasSubstr("memory"));
  EXPECT_EQ(line("getmetatable(_ENV)"), "false");
}

TEST_F(ConsoleTest, AnEndlessChunkIsStopped) {
  open(pendulum_scene);
  EXPECT_EQ(line("kept = 3 return kept"), "3");
  for (const char* endless : {"print('begun') while true do pcall(error) end",
                              "print('begun') while true do step(1) end"}) {
    console_->clear();
    console_->run(endless);
    console_->run("never()");
    EXPECT_TRUE(eventually([&] {
      serve();
      const auto lines = console_->lines();
      return !lines.empty() && lines.back().text == "begun";
    }));
    EXPECT_TRUE(console_->busy()) << endless;
    console_->stop();
    EXPECT_TRUE(eventually([&] {
      serve();
      return !console_->busy();
    }));
    EXPECT_THAT(console_->lines().back().text, HasSubstr("stopped")) << endless;
    EXPECT_EQ(console_->lines().size(), 3u) << "the second chunk was discarded";
  }
  EXPECT_EQ(line("kept"), "3") << "names outlive a stop";
}

TEST_F(ConsoleTest, NamesAreCompleted) {
  open(pendulum_scene);
  EXPECT_THAT(run("mine = { first = 1, second = setmetatable({}, { __index = function() "
                  "error('called') end }) }"),
              IsEmpty());
  EXPECT_THAT(completions("print(ar"), ElementsAre("arm"));
  EXPECT_THAT(completions("x = arm:mass"), ElementsAre("mass_matrix"));
  EXPECT_THAT(completions("arm.q.h"), ElementsAre("hinge"));
  EXPECT_THAT(completions("mine."), ElementsAre("first", "second"));
  EXPECT_THAT(completions("mine.second.x."), IsEmpty()) << "nothing of the user's is called";
  EXPECT_THAT(completions("math.ma"), ElementsAre("max", "maxinteger"));
  EXPECT_THAT(completions("state.s"), ElementsAre("second_partials", "solver", "step"));
  EXPECT_THAT(completions("nothing.x"), IsEmpty());
}

TEST_F(ConsoleTest, ASceneLoadedAnewIsSeenAndNamesStay) {
  open(pendulum_scene);
  EXPECT_EQ(line("kept = arm.q return #kept"), "2");
  write("arm.lua", replaced(pendulum_scene, "{2.0, 0.1}", "{1.0, 0.1}"));
  session_->post(command::Reload{});
  (void)settled(*session_);
  EXPECT_EQ(line("arm.q[1], kept[1]"), "1.0\t2.0");
  write("arm.lua", replaced(replaced(pendulum_scene, "name = \"arm\"", "name = \"leg\""),
                            "\"arm.q\", \"arm.v\"", "\"leg.q\", \"leg.v\""));
  session_->post(command::Reload{});
  (void)settled(*session_);
  EXPECT_EQ(line("leg.q[1]"), "2.0");
  EXPECT_THAT(line("arm"), HasSubstr("'arm' is not defined"));
}

TEST_F(ConsoleTest, WithoutASceneItIsLuaStill) {
  open("return 3");
  EXPECT_EQ(line("2^10"), "1024.0");
  EXPECT_THAT(line("state"), HasSubstr("'state' is not defined"));
}

TEST(Prompt, KnowsWhereAChunkBreaksOff) {
  for (const char* chunk : {"for i = 1, 3 do", "x = {", "f(", "1 +", "[[a", "if a then b() else"})
    EXPECT_TRUE(is_incomplete(chunk)) << chunk;
  for (const char* chunk : {"", "  ", "1", "x", "x = 3", "for i = 1, 3 do end", "1 + )", "end"})
    EXPECT_FALSE(is_incomplete(chunk)) << chunk;
}

TEST_F(ConsoleTest, TheHistoryOutlivesTheWindow) {
  const auto file = folder_ / "state/console_history";
  {
    ConsoleHistory history(file);
    for (const char* chunk : {"print(1)", "a\nb", "a\nb", "print(2)"}) history.add(chunk);
    EXPECT_EQ(history.size(), 3u);
  }
  std::ofstream(file, std::ios::app) << "not a text of JSON\n";
  ConsoleHistory history(file);
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[1], "a\nb");
  EXPECT_EQ(history.before(3, "print"), 2u);
  EXPECT_EQ(history.before(2, "print"), 0u);
  EXPECT_EQ(history.before(0, "print"), 0u) << "there is none further back";
  EXPECT_EQ(history.after(0, "print"), 2u);
  EXPECT_EQ(history.after(2, "print"), 3u);
  EXPECT_EQ(history.before(3, "x"), 3u);
}

}  // namespace
}  // namespace torsor::editor::test

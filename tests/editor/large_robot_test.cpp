// Tests of robots with 200 bodies: panels draw only visible rows, and a thread does long
// computations.

#include <gmock/gmock.h>

#include <chrono>

#include "editor/panels/dynamics/dynamics.hpp"
#include "editor/probe/probe.hpp"
#include "editor/probe/solver_watch.hpp"
#include "editor/widgets/bar_plot.hpp"
#include "editor/widgets/matrix_plot.hpp"
#include "editor/windowless_fixture.hpp"

namespace torsor::editor::test {
namespace {

constexpr int n_body = 200;

// Returns a scene of 200 bodies. parent: number of the parent of link k, as a Lua expression in k.
std::string scene_of_bodies(const std::string& parent) {
  return R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
for k = 1, 200 do
  arm:link{ name = "link" .. k, parent = k > 1 and "link" .. ()" +
         parent + R"() or nil, origin = { xyz = {0, 0, -0.1} },
            joint = { "revolute", name = "joint" .. k, axis = k % 2 == 0 and {1, 0, 0} or {0, 1, 0}, damping = 0.1 },
            inertia = { mass = 0.1, com = {0, 0, -0.05}, about_com = { Ixx = 1e-4, Iyy = 1e-4, Izz = 1e-5 } } }
end
arm:set{ q = { joint1 = 0.5 } }
local world = torsor.world{}
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 1,
                         record = { "arm.q" }, record_interval = 0.01 }
)";
}

int units_written = 0;
std::string counted_unit(bool turns, bool) {
  ++units_written;
  return turns ? "N m" : "N";
}

NumberTable table_of(size_t rows, size_t columns) {
  NumberTable out{.name = "x", .title = "X", .source = "", .entry_unit = counted_unit};
  for (size_t k = 0; k < rows; ++k) {
    out.rows.push_back("joint" + std::to_string(k));
    out.row_turns.push_back(k % 2 == 0);
  }
  for (size_t k = 0; k < columns; ++k) {
    out.columns.push_back("column" + std::to_string(k));
    out.column_turns.push_back(true);
  }
  for (size_t k = 0; k < rows * columns; ++k) out.x.push_back(double(k % 17) - 8);
  return out;
}

class LargeRobotTest : public WindowlessTest {
 protected:
  // Draws into a window of this size. Returns the number of vertices.
  template <class Draw>
  static int vertices(ImVec2 size, const Draw& draw) {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("panel");
    draw();
    ImGui::End();
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  }
  // Brings panels to the front and draws some frames. Returns the mean time of a frame in ms.
  double frame_time(const std::vector<const char*>& front) {
    for (const char* name : front) run_action(*editor_, "panel.show", {name});
    for (int k = 0; k < 5; ++k) frame();
    constexpr int frames = 60;
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < frames; ++k) frame();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
               .count() /
           frames;
  }
};

TEST_F(LargeRobotTest, BarsWriteOnlyVisibleRows) {
  const NumberTable vector = table_of(n_body, 1), parts = table_of(n_body, 5);
  // ImGui needs one frame to measure a window.
  for (int k = 0; k < 2; ++k) {
    units_written = 0;
    vertices({340, 300}, [&] { draw_bars(vector); });
  }
  EXPECT_GT(units_written, 5);
  EXPECT_LT(units_written, 30);
  for (int k = 0; k < 2; ++k) {
    units_written = 0;
    vertices({340, 300}, [&] { draw_stacked_bars(parts); });
  }
  EXPECT_GT(units_written, 5);
  EXPECT_LT(units_written, 30);
}

TEST_F(LargeRobotTest, HeatMapsDrawABoundedNumberOfCells) {
  const NumberTable matrix = table_of(n_body, n_body);
  constexpr int per_cell = 4;
  // In a narrow window, a square block of entries is drawn as one cell of at least three pixels.
  const int narrow = vertices({340, 600}, [&] { (void)draw_heat_map(matrix); });
  EXPECT_GT(narrow, 1000 * per_cell);
  EXPECT_LT(narrow, (340 / 3) * (340 / 3) * per_cell + 4000);
  // In a wide window, rows below the lower edge are not drawn.
  const int wide = vertices({2400, 300}, [&] { (void)draw_heat_map(matrix); });
  EXPECT_LT(wide, n_body * (300 / 10) * per_cell + 4000);
  EXPECT_LT(wide, n_body * n_body * per_cell / 4);
}

TEST_F(LargeRobotTest, CellsOfLargeMatricesShowTheirLargestEntry) {
  NumberTable matrix = table_of(n_body, n_body);
  std::ranges::fill(matrix.x, 0.0);
  matrix.x[0 * n_body + 1] = -5;  // an entry of the first block
  ImGui::GetIO().MousePos = {12, 30};
  std::optional<Cell> under;
  for (int k = 0; k < 3; ++k) {
    vertices({340, 600}, [&] {
      ImGui::GetIO().MousePos = {ImGui::GetCursorScreenPos().x + 1,
                                 ImGui::GetCursorScreenPos().y + 1};
      under = draw_heat_map(matrix);
    });
  }
  EXPECT_EQ(under, (Cell{0, 1}));
}

TEST_F(LargeRobotTest, DynamicsAndSolversAreComputedOnAThread) {
  open(write("chain.lua", scene_of_bodies("k - 1")));
  ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
  DynamicsSource source;
  const auto data = [&](DynamicsView view) {
    return source.data(editor_->now, editor_->probe, view, {});
  };
  EXPECT_EQ(data(DynamicsView::M), nullptr);
  ASSERT_TRUE(eventually([&] { return data(DynamicsView::M) != nullptr; }));
  EXPECT_EQ(data(DynamicsView::M)->table.x.size(), size_t(n_body * n_body));
  EXPECT_EQ(data(DynamicsView::M)->spectrum->values.size(), size_t(n_body));
  for (int k = 0; k < 100; ++k) (void)data(DynamicsView::M);
  EXPECT_EQ(source.computed(), 1) << "the state has not changed";
  EXPECT_EQ(data(DynamicsView::g), nullptr) << "numbers of another view";
  ASSERT_TRUE(eventually([&] { return data(DynamicsView::g) != nullptr; }));
  EXPECT_EQ(data(DynamicsView::g)->table.x, editor_->probe.answer(Quantity::gravity).x);

  EXPECT_FALSE(editor_->probe.watch_solvers().compared());
  ASSERT_TRUE(eventually([&] { return editor_->probe.watch_solvers().compared(); }));
}

TEST_F(LargeRobotTest, SmallRobotsAreComputedOnceForEachState) {
  open(write("arm.lua", pendulum_scene));
  DynamicsSource source;
  const DynamicsData* first = source.data(editor_->now, editor_->probe, DynamicsView::M, {});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->time, 0);
  for (int k = 0; k < 10; ++k) (void)source.data(editor_->now, editor_->probe, DynamicsView::M, {});
  EXPECT_EQ(source.computed(), 1);
  editor_->session.post(command::Go{10});
  settle();
  EXPECT_EQ(source.data(editor_->now, editor_->probe, DynamicsView::M, {})->time,
            editor_->now->time());
  EXPECT_EQ(source.computed(), 2);
}

// Prints the cost without a check, because machines differ.
TEST_F(LargeRobotTest, CostOfAFrame) {
  ImGui::GetIO().DisplaySize = {2560, 1440};
  for (const auto& [name, parent] : {std::pair{"chain", "k - 1"}, {"tree", "k // 2"}}) {
    open(write(std::string(name) + ".lua", scene_of_bodies(parent)));
    ASSERT_TRUE(editor_->has_scene()) << problems(*editor_->now);
    std::printf("%s of %d bodies, ms of UI work a frame:", name, n_body);
    for (const char* view : {"M", "C", "bias", "split"}) {
      run_action(*editor_, "dynamics.show", {view});
      std::printf(" dynamics %s %.2f;", view, frame_time({"dynamics", "scene", "problems"}));
    }
    std::printf(" solvers %.2f;", frame_time({"dynamics", "solvers", "scene"}));
    std::printf(" inspector %.2f", frame_time({"inspector", "scene"}));
    run_action(*editor_, "time.play", {});
    std::printf("; playing %.2f\n", frame_time({"dynamics", "solvers", "inspector", "scene"}));
    run_action(*editor_, "time.play", {});
    settle();
  }
}

}  // namespace
}  // namespace torsor::editor::test

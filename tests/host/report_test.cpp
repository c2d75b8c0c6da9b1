// Checks that reports may come from any thread, and that a report that is read is always complete.

#include <atomic>
#include <cmath>
#include <thread>

#include "host_fixture.hpp"
#include "torsor/host/plugin_object.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/sdk/ext/solver.h"

namespace torsor::host_test {
namespace {

TEST(Report, IsCompleteWhileThreadsReport) {
  const auto model = pendulum_model(1, 1);
  const auto file = load_plugin_file(plugin("pendulum"));
  const PluginObject object(file, *file->entry->descriptor[0]);
  EXPECT_EQ(object.report(), "");
  const auto* table =
      static_cast<const torsor_solver*>(object.get()->get_interface(object.get(), TORSOR_SOLVER));
  const torsor_model view = model->view();
  const State state(model);
  const torsor_state at = state.view();
  const std::string nan_text = "vdot is not a number",
                    infinite_text = "vdot is beyond the range of numbers";
  std::atomic<int> running = 3;
  const auto fail = [&](double vdot) {
    double tau = 0;
    for (int k = 0; k < 20000; ++k)
      EXPECT_EQ(table->inverse(object.get(), &view, &at, &vdot, nullptr, &tau),
                TORSOR_BAD_ARGUMENT);
    --running;
  };
  {
    const std::jthread a(fail, NAN), b(fail, INFINITY), c(fail, NAN);
    while (running > 0) {
      const std::string text = object.report();
      ASSERT_TRUE(text.empty() || text == nan_text || text == infinite_text) << text;
    }
  }
  fail(NAN);
  EXPECT_EQ(object.report(), nan_text);
}

}  // namespace
}  // namespace torsor::host_test

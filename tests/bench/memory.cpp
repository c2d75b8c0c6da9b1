#include "bench/memory.hpp"

#include <malloc.h>

#include "bench/abi.hpp"
#include "torsor/batch/batch_solver.hpp"
#include "torsor/plugin/plugin_table.hpp"

namespace torsor::bench {

namespace {

// Returns the bytes that an object of make() takes on the heap, in pages of its own included.
// malloc counts small blocks as used that it keeps for later calls, 7 of each size. Eight objects
// use them up before the one that is measured.
template <class Make>
size_t bytes_of(Make make) {
  const auto used = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  std::vector<decltype(make())> objects;
  objects.reserve(9);
  while (objects.size() < 8) objects.push_back(make());
  const size_t before = used();
  objects.push_back(make());
  return used() - before;
}

Memory::OfSolver memory_of_solver(const std::string& id, const Robot& robot,
                                  const Registry& registry) {
  Solver solver = registry.solver(id, robot.model);  // loads the plugin
  const std::unique_ptr<Plugin> plugin = make_plugin(registry.find<Solver>(id));
  return {bytes_of([&] { return registry.solver(id, robot.model); }),
          prepare(*plugin, robot.model->view()).work_doubles * sizeof(double),
          bytes_of([&] { return std::make_unique<BatchSolver>(solver); })};
}

}  // namespace

Memory memory_of(const Robot& robot, const Registry& registry,
                 const std::vector<std::string>& solvers) {
  constexpr size_t few = 8, many = 72;  // states; both fill whole registers
  const auto batch = [&](size_t n) {
    return bytes_of([&] { return std::make_unique<StateBatch>(robot.model, n); });
  };
  Memory out;
  out.model = bytes_of([&] { return std::make_unique<Model>(*robot.model); });
  out.state = bytes_of([&] { return State(robot.model); });
  out.state_of_batch = (batch(many) - batch(few)) / (many - few);
  for (const std::string& id : solvers) try {
      out.solvers[std::string(without_kind(id))] = memory_of_solver(id, robot, registry);
    } catch (const Error&) {  // the table shows the reason
    }
  return out;
}

}  // namespace torsor::bench

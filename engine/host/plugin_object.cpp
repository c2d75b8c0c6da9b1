#include "torsor/host/plugin_object.hpp"

#include <fmt/format.h>

#include "torsor/base/text.hpp"
#include "torsor/host/parameters.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/plugin/trace_table.hpp"

namespace torsor {

namespace {

Error malformed(const torsor_descriptor& descriptor, std::string_view what) {
  return Error(fmt::format("plugin '{}' is malformed: {}", descriptor.id, what));
}

}  // namespace

void PluginObject::store_report(const torsor_host* host, torsor_status, const char* text) {
  auto& self = *static_cast<PluginObject*>(host->context);
  // Outside of the lock: a text that is none crashes here.
  std::string line = one_line(text ? text : "");
  const std::lock_guard lock(self.mutex_);
  self.report_ = std::move(line);
}

std::string PluginObject::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

const void* PluginObject::service(const torsor_host* host, const char* id) {
  const auto& self = *static_cast<const PluginObject*>(host->context);
  const auto found = self.services_.find(std::string_view(id ? id : ""));
  return found == self.services_.end() ? nullptr : found->second;
}

void PluginObject::Destroy::operator()(torsor_plugin* plugin) const {
  (void)owner->ask("destroy", [&]() -> torsor_status {
    plugin->destroy(plugin);
    return TORSOR_OK;
  });
}

PluginObject::PluginObject(std::shared_ptr<const PluginSource> source,
                           const torsor_descriptor& descriptor)
    : source_(std::move(source)),
      descriptor_(descriptor),
      host_{sizeof(torsor_host), this, store_report, service},
      plugin_(nullptr, Destroy{this}) {
  torsor_plugin* made = nullptr;
  const auto create = [&]() -> torsor_status {
    made = source_->create(descriptor, &host_);
    return TORSOR_OK;
  };
  // The sandbox bounds them.
  if (source_->path.extension() == ".lua") leave_first_calls_unbounded();
  require_kept(*this, "create", ask("create", create));
  if (!made) {
    const std::string reason = report();
    throw Error(fmt::format("plugin '{}' could not be created: {}", descriptor.id,
                            reason.empty() ? "it reported no reason" : reason));
  }
  constexpr size_t needed = offsetof(torsor_plugin, set_frames);  // as ABI 1.0 has it
  if (made->struct_size < needed)                                 // too short to trust its destroy
    throw malformed(descriptor, fmt::format("its torsor_plugin has {} bytes, {} are needed",
                                            made->struct_size, needed));
  if (!made->destroy) throw malformed(descriptor, "its destroy is NULL");
  plugin_.reset(made);
  if (!made->prepare || !made->get_interface)
    throw malformed(descriptor, "its prepare or get_interface is NULL");
  bool values = false, frames = false;
  for (const torsor_param* row : parameter_rows(descriptor))
    (row->type == TORSOR_FRAME ? frames : values) = true;
  if (values && !made->set_param)
    throw malformed(descriptor, "it has parameters but its set_param is NULL");
  if (frames && (made->struct_size < sizeof(torsor_plugin) || !made->set_frames))
    throw malformed(descriptor, "it has parameters that are frames but no set_frames");
  const std::string_view id = descriptor.id;
  if (id.starts_with("force."))
    check_force_table();
  else if (id.starts_with("controller."))
    check_controller_table();
  else if (id.starts_with("trajectory."))
    check_trajectory_table();
  else
    check_solver_table();
  set_initial_parameters(*this);
  report_.clear();
}

template <class Table>
const Table& PluginObject::whole_table(const char* id) {
  const auto* table = static_cast<const Table*>(interface(id));
  if (!table) throw malformed(descriptor_, fmt::format("it offers no {}", id));
  if (table->struct_size < sizeof(Table))
    throw malformed(descriptor_, fmt::format("its {} table has {} bytes, {} are needed", id,
                                             table->struct_size, sizeof(Table)));
  return *table;
}

void PluginObject::check_force_table() {
  if (!whole_table<torsor_force>(TORSOR_FORCE).evaluate)
    throw malformed(descriptor_, "its evaluate is NULL");
}

void PluginObject::check_trajectory_table() {
  const auto& table = whole_table<torsor_trajectory>(TORSOR_TRAJECTORY);
  if (!table.describe || !table.evaluate)
    throw malformed(descriptor_, "its describe or evaluate is NULL");
}

void PluginObject::check_controller_table() {
  const auto& table = whole_table<torsor_controller>(TORSOR_CONTROLLER);
  if (!table.evaluate) throw malformed(descriptor_, "its evaluate is NULL");
  if (table.reference < TORSOR_REFERENCE_NONE || table.reference > TORSOR_REFERENCE_FRAME)
    throw malformed(descriptor_,
                    fmt::format("it follows references of the unknown kind {}", table.reference));
  constexpr uint32_t most = 1000;
  if (table.n_signal > most || (table.n_signal > 0 && !table.signal))
    throw malformed(descriptor_, "its signals are too many or NULL");
  for (uint32_t k = 0; k < table.n_signal; ++k) {
    const torsor_signal& signal = table.signal[k];
    if (signal.struct_size != sizeof(torsor_signal) || !signal.name || !signal.unit ||
        signal.count > most || (signal.is_acceleration && signal.count != 0))
      throw malformed(descriptor_, fmt::format("its signal {} is malformed", k));
  }
}

// A table of an older minor is shorter, but holds whole members, inverse and forward among them.
void PluginObject::check_solver_table() {
  const auto* table = static_cast<const torsor_solver*>(interface(TORSOR_SOLVER));
  if (!table) throw malformed(descriptor_, fmt::format("it offers no {}", TORSOR_SOLVER));
  constexpr size_t needed = offsetof(torsor_solver, forward) + sizeof(table->forward);
  if (table->struct_size < needed || table->struct_size % sizeof(table->forward) != 0)
    throw malformed(descriptor_, fmt::format("its {} table has {} bytes, {} are needed",
                                             TORSOR_SOLVER, table->struct_size, needed));
  if (!table->inverse && !table->forward)
    throw malformed(descriptor_, "it offers neither inverse nor forward dynamics");
  check_rates_table();
  check_partials_table();
  check_trace_table();
}

// Their first members are of ABI 1.3.
void PluginObject::check_rates_table() {
  const auto* table = static_cast<const torsor_solver_rates*>(interface(TORSOR_SOLVER_RATES));
  if (!table) return;
  const auto refuse = [&](const std::string& what) {
    throw malformed(descriptor_, fmt::format("its {} table {}", TORSOR_SOLVER_RATES, what));
  };
  constexpr size_t needed = offsetof(torsor_solver_rates, rates);
  if (table->struct_size < needed || table->struct_size % sizeof(void*) != 0)
    refuse(fmt::format("has {} bytes, {} are needed", table->struct_size, needed));
  if (table->struct_size < sizeof *table ? !table->inverse_rates
                                         : !table->inverse_rates && !table->rates)
    refuse("lacks a member");
  if (table->struct_size >= sizeof *table && table->rates &&
      (table->max_order < 2 || table->max_order > TORSOR_MAX_ORDER))
    refuse(fmt::format("has the order {}; it must be 2 to {}", table->max_order,
                       int(TORSOR_MAX_ORDER)));
}

void PluginObject::check_partials_table() {
  const auto* table = static_cast<const torsor_solver_partials*>(interface(TORSOR_SOLVER_PARTIALS));
  if (!table) return;
  constexpr size_t needed = offsetof(torsor_solver_partials, second_partials);
  if (table->struct_size < needed || table->struct_size % sizeof(void*) != 0)
    throw malformed(descriptor_, fmt::format("its {} table has {} bytes, {} are needed",
                                             TORSOR_SOLVER_PARTIALS, table->struct_size, needed));
  if (!table->inverse_partials)
    throw malformed(descriptor_,
                    fmt::format("its {} table lacks inverse_partials", TORSOR_SOLVER_PARTIALS));
}

void PluginObject::check_trace_table() {
  const auto* table = static_cast<const torsor_solver_trace*>(interface(TORSOR_SOLVER_TRACE));
  if (!table) return;
  if (const std::string flaw = trace_flaw(*table); !flaw.empty())
    throw malformed(descriptor_, fmt::format("its {} table {}", TORSOR_SOLVER_TRACE, flaw));
}

}  // namespace torsor

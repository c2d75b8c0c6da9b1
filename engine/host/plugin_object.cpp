#include "torsor/host/plugin_object.hpp"

#include <fmt/format.h>

#include "torsor/base/text.hpp"
#include "torsor/host/parameters.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/plugin/trace_table.hpp"
#include "torsor/sdk/struct_sizes.hpp"

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
  // Before anything of it is trusted, its destroy included.
  if (const std::string defect = sdk::size_defect(*made); !defect.empty())
    throw malformed(descriptor, "its torsor_plugin " + defect);
  if (!made->destroy) throw malformed(descriptor, "its destroy is NULL");
  plugin_.reset(made);
  if (!made->prepare || !made->get_interface)
    throw malformed(descriptor, "its prepare or get_interface is NULL");
  bool values = false, frames = false;
  for (const torsor_param& row : parameter_rows(descriptor))
    (row.type == TORSOR_FRAME ? frames : values) = true;
  if (values && !made->set_param)
    throw malformed(descriptor, "it has parameters but its set_param is NULL");
  if (frames && !made->set_frames)
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
std::optional<Table> PluginObject::offered_table(const char* id) {
  const auto* table = static_cast<const Table*>(interface(id));
  if (!table) return std::nullopt;
  if (const std::string defect = sdk::size_defect(*table); !defect.empty())
    throw malformed(descriptor_, fmt::format("its {} table {}", id, defect));
  return sdk::known_members(*table);
}
template <class Table>
Table PluginObject::required_table(const char* id) {
  const std::optional<Table> table = offered_table<Table>(id);
  if (!table) throw malformed(descriptor_, fmt::format("it offers no {}", id));
  return *table;
}

void PluginObject::check_force_table() {
  if (!required_table<torsor_force>(TORSOR_FORCE).evaluate)
    throw malformed(descriptor_, "its evaluate is NULL");
}

void PluginObject::check_trajectory_table() {
  const auto table = required_table<torsor_trajectory>(TORSOR_TRAJECTORY);
  if (!table.describe || !table.evaluate)
    throw malformed(descriptor_, "its describe or evaluate is NULL");
}

void PluginObject::check_controller_table() {
  const auto table = required_table<torsor_controller>(TORSOR_CONTROLLER);
  if (!table.evaluate) throw malformed(descriptor_, "its evaluate is NULL");
  if (table.reference < TORSOR_REFERENCE_NONE || table.reference > TORSOR_REFERENCE_FRAME)
    throw malformed(descriptor_,
                    fmt::format("it follows references of the unknown kind {}", table.reference));
  constexpr uint32_t most = 1000;
  if (table.n_signal > most || (table.n_signal > 0 && !table.signal))
    throw malformed(descriptor_, "its signals are too many or NULL");
  if (table.n_signal == 0) return;
  if (const std::string defect = sdk::size_defect(*table.signal); !defect.empty())
    throw malformed(descriptor_, "its torsor_signal " + defect);
  uint32_t k = 0;
  for (const torsor_signal& signal : sdk::known_rows(table.signal, table.n_signal)) {
    if (signal.struct_size != table.signal->struct_size || !signal.name || !signal.unit ||
        signal.count > most || (signal.is_acceleration && signal.count != 0))
      throw malformed(descriptor_, fmt::format("its signal {} is malformed", k));
    ++k;
  }
}

void PluginObject::check_solver_table() {
  const auto table = required_table<torsor_solver>(TORSOR_SOLVER);
  if (!table.inverse && !table.forward)
    throw malformed(descriptor_, "it offers neither inverse nor forward dynamics");
  check_rates_table();
  check_partials_table();
  check_trace_table();
}

void PluginObject::check_rates_table() {
  const auto table = offered_table<torsor_solver_rates>(TORSOR_SOLVER_RATES);
  if (!table) return;
  if (!table->rates)
    throw malformed(descriptor_, fmt::format("its {} table lacks rates", TORSOR_SOLVER_RATES));
  if (table->max_order < 2 || table->max_order > TORSOR_MAX_ORDER)
    throw malformed(descriptor_,
                    fmt::format("its {} table has the order {}; it must be 2 to {}",
                                TORSOR_SOLVER_RATES, table->max_order, int(TORSOR_MAX_ORDER)));
}

void PluginObject::check_partials_table() {
  const auto table = offered_table<torsor_solver_partials>(TORSOR_SOLVER_PARTIALS);
  if (table && !table->inverse_partials)
    throw malformed(descriptor_,
                    fmt::format("its {} table lacks inverse_partials", TORSOR_SOLVER_PARTIALS));
}

void PluginObject::check_trace_table() {
  const auto table = offered_table<torsor_solver_trace>(TORSOR_SOLVER_TRACE);
  if (!table) return;
  if (const std::string flaw = trace_flaw(*table); !flaw.empty())
    throw malformed(descriptor_, fmt::format("its {} table {}", TORSOR_SOLVER_TRACE, flaw));
}

}  // namespace torsor

#include "torsor/host/plugin_object.hpp"

#include <fmt/format.h>

#include "torsor/host/descriptor.hpp"
#include "torsor/host/parameters.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

Error malformed(const torsor_descriptor& descriptor, std::string_view what) {
  return Error(fmt::format("plugin '{}' is malformed: {}", descriptor.id, what));
}

}  // namespace

void PluginObject::store_report(const torsor_host* host, torsor_status, const char* text) {
  auto& self = *static_cast<PluginObject*>(host->context);
  const std::lock_guard lock(self.mutex_);
  self.report_ = one_line(text ? text : "");
}

std::string PluginObject::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

PluginObject::PluginObject(std::shared_ptr<const PluginFile> file, const torsor_descriptor& descriptor)
    : file_(std::move(file)),
      descriptor_(descriptor),
      host_{sizeof(torsor_host), this, store_report,
            [](const torsor_host*, const char*) -> const void* { return nullptr; }} {
  torsor_plugin* made = descriptor.create(&host_);
  if (!made) {
    const std::string reason = report();
    throw Error(fmt::format("plugin '{}' could not be created: {}", descriptor.id,
                            reason.empty() ? "it gave no reason" : reason));
  }
  constexpr size_t needed = offsetof(torsor_plugin, set_frames);  // as ABI 1.0 has it
  if (made->struct_size < needed)                                 // too short to trust its destroy
    throw malformed(descriptor,
                    fmt::format("its torsor_plugin has {} bytes, {} are needed", made->struct_size, needed));
  if (!made->destroy) throw malformed(descriptor, "its destroy is NULL");
  plugin_.reset(made);
  if (!made->prepare || !made->get_interface)
    throw malformed(descriptor, "its prepare or get_interface is NULL");
  bool values = false, frames = false;
  for (const torsor_param* row : parameter_rows(descriptor))
    (row->type == TORSOR_FRAME ? frames : values) = true;
  if (values && !made->set_param) throw malformed(descriptor, "it has parameters but its set_param is NULL");
  if (frames && (made->struct_size < sizeof(torsor_plugin) || !made->set_frames))
    throw malformed(descriptor, "it has parameters that are frames but no set_frames");
  if (std::string_view(descriptor.id).starts_with("force."))
    check_force_table();
  else
    check_solver_table();
  set_initial_parameters(*this);
  report_.clear();
}

void PluginObject::check_force_table() {
  const auto* table = static_cast<const torsor_force*>(plugin_->get_interface(plugin_.get(), TORSOR_FORCE));
  if (!table) throw malformed(descriptor_, fmt::format("it offers no {}", TORSOR_FORCE));
  if (table->struct_size < sizeof(torsor_force))
    throw malformed(descriptor_, fmt::format("its {} table has {} bytes, {} are needed", TORSOR_FORCE,
                                             table->struct_size, sizeof(torsor_force)));
  if (!table->evaluate) throw malformed(descriptor_, "its evaluate is NULL");
}

// A table of an older minor is shorter, but holds whole members, inverse and forward among them.
void PluginObject::check_solver_table() {
  const auto* table = static_cast<const torsor_solver*>(plugin_->get_interface(plugin_.get(), TORSOR_SOLVER));
  if (!table) throw malformed(descriptor_, fmt::format("it offers no {}", TORSOR_SOLVER));
  constexpr size_t needed = offsetof(torsor_solver, forward) + sizeof(table->forward);
  if (table->struct_size < needed || table->struct_size % sizeof(table->forward) != 0)
    throw malformed(descriptor_, fmt::format("its {} table has {} bytes, {} are needed", TORSOR_SOLVER,
                                             table->struct_size, needed));
  if (!table->inverse && !table->forward)
    throw malformed(descriptor_, "it offers neither inverse nor forward dynamics");
}

}  // namespace torsor

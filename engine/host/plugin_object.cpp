#include "torsor/host/plugin_object.hpp"

#include <fmt/format.h>

#include "torsor/base/text.hpp"
#include "torsor/host/parameters.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/plugin/plugin_kind.hpp"
#include "torsor/sdk/struct_sizes.hpp"

namespace torsor {

namespace {

Error malformed(const torsor_descriptor& descriptor, std::string_view what) {
  return Error(fmt::format("plugin '{}' is malformed: {}", descriptor.id, what));
}

}  // namespace

void PluginObject::store_report(const torsor_host* host, torsor_status, const char* text) {
  auto& self = *static_cast<PluginObject*>(host->context);
  // Read the text before locking the mutex: if the pointer is invalid, the crash happens here.
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
  // Calls of scripts need no time limit here, because the sandbox limits them.
  if (source_->path.extension() == ".lua") leave_first_calls_unbounded();
  require_unaltered_host(*this, "create", ask("create", create));
  if (!made) {
    const std::string reason = report();
    throw Error(fmt::format("plugin '{}' could not be created: {}", descriptor.id,
                            reason.empty() ? "it reported no reason" : reason));
  }
  // Check struct_size first. If it is wrong, no member can be used, not even destroy.
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
  if (const std::string flaw = interface_flaw(*this); !flaw.empty())
    throw malformed(descriptor, flaw);
  set_initial_parameters(*this);
  report_.clear();
}

}  // namespace torsor

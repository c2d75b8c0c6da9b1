#pragma once
// An object that a plugin has created, and the host functions that the plugin can call.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "torsor/loading/plugin_source.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

class PluginObject final : public Plugin {
 public:
  // Creates an object of a plugin and sets its parameters to their initial values. descriptor: a
  // valid descriptor of `source`. Throws Error if the plugin creates no object or an invalid
  // object.
  PluginObject(std::shared_ptr<const PluginSource> source, const torsor_descriptor& descriptor);
  PluginObject(const PluginObject&) = delete;
  PluginObject& operator=(const PluginObject&) = delete;

  torsor_plugin* get() const override { return plugin_.get(); }
  const torsor_descriptor& descriptor() const override { return descriptor_; }
  std::string report() const override;
  const char* file() const override { return source_->path.c_str(); }
  void provide(const char* id, const void* service) override { services_[id] = service; }

 private:
  struct Destroy {
    const PluginObject* owner;
    void operator()(torsor_plugin* plugin) const;
  };
  static void store_report(const torsor_host* host, torsor_status status, const char* text);
  static const void* service(const torsor_host* host, const char* id);

  // Declared first: the file must be unloaded after the object is destroyed.
  std::shared_ptr<const PluginSource> source_;
  const torsor_descriptor& descriptor_;
  torsor_host host_;
  mutable std::mutex mutex_;  // guards report_, because any thread may report
  std::string report_;
  std::map<std::string, const void*, std::less<>> services_;
  std::unique_ptr<torsor_plugin, Destroy> plugin_;
};

}  // namespace torsor

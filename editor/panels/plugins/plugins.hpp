#pragma once
// The panel of plugins: all plugins, their interfaces and parameters, their uses in the scene, and
// their validation.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "editor/panels/panel.hpp"
#include "editor/panels/plugins/validation_job.hpp"
#include "torsor/host/solver_offer.hpp"
#include "torsor/loading/elf_file.hpp"

namespace torsor::editor {

struct Scene;

struct PluginsPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;
  bool busy() const override { return validation.busy(); }
  void stop() override { validation.stop(); }

  std::string search;
  std::string selected;  // id of a plugin, or path of a skipped file
  ValidationJob validation;

  // Return the selected plugin or the selected skipped file. Return nullptr if `selected` is not
  // one.
  const PluginInfo* plugin(const Registry& registry) const;
  const SkippedFile* skipped(const Registry& registry) const;

  // Information about the selected plugin that is read once per version of its file.
  struct Found {
    std::string id, sha256;
    SolverOffer offer;
    std::optional<PluginNote> note;
  };
  const Found& found(const Registry& registry, const PluginInfo& plugin);
  // Returns the uses of each plugin in the current scene, by plugin id. See plugin_uses().
  const std::map<std::string, std::vector<std::string>>& uses(const Editor& editor);

 private:
  Found found_;
  std::map<std::string, std::vector<std::string>> uses_;
  std::weak_ptr<const Scene> scene_;
  std::string solver_;
};

}  // namespace torsor::editor

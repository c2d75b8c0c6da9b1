#include "torsor/scripting/study/scene_tuning.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// Rejects parameters that are tuned and set to a value.
TuningRequest checked_request(TuningRequest request, const StudySettings& set) {
  for (const std::string& name : request.over)
    if (set.contains(name))
      throw Error(fmt::format(
          "the parameter '{}' is set to a value and cannot be tuned; remove one of the two", name));
  return request;
}

}  // namespace

SceneTuning::SceneTuning(StudiedSceneRequest scene, TuningRequest request)
    : scene_(std::move(scene)),
      space_(scene_.parameters(),
             checked_request(std::move(request), scene_.request().scene.settings)),
      description_(scene_.describe(space_.describe())) {}

StudyLayout SceneTuning::make_layout() const {
  StudyLayout out{.parameters = space_.columns(),
                  .outcomes = scene_.outcomes(),
                  .samples = space_.samples(),
                  .shard = {},
                  .description = description_};
  tuned_outcome(space_.request(), out.outcomes);
  return out;
}

StudyTable SceneTuning::continued(const std::filesystem::path& path) const {
  return continued_table(path, description_);
}

}  // namespace torsor

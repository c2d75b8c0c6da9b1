#include "torsor/scripting/study/scene_study.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/study/study_description.hpp"

namespace torsor {

SceneStudy::SceneStudy(SceneStudyRequest request)
    : request_(std::move(request)),
      scene_({.scene = request_.scene, .options = request_.options, .limit = request_.limit}),
      plan_(scene_.parameters(), request_.plan),
      description_(scene_.describe(describe_plan(request_.plan, plan_.axes()))) {
  if (request_.shard.rows(plan_.samples()) == 0)
    throw Error(fmt::format("shard {} of {} is empty: the study has only {}",
                            request_.shard.index + 1, request_.shard.count,
                            counted(plan_.samples(), "sample")));
}

StudyLayout SceneStudy::make_layout() const {
  StudyLayout out{.parameters = {},
                  .outcomes = scene_.outcomes(),
                  .samples = plan_.samples(),
                  .shard = request_.shard,
                  .description = description_};
  for (const PlanColumn& column : plan_.columns())
    out.parameters.push_back({column.name, column.unit, column.labels});
  return out;
}

StudyTable SceneStudy::continued(const std::filesystem::path& path) const {
  return continued_table(path, description_, request_.shard);
}

void SceneStudy::require_same(const StudyLayout& layout, const std::string& name) const {
  require_same_study(layout, description_, request_.shard, name);
}

}  // namespace torsor

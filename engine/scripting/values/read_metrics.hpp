#pragma once
// What an experiment measures of its controls, and the variants of it that are compared.

#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// metrics = true, or { from =, settling_band =, settling_error =, joints = {..} }
std::optional<MetricsOptions> read_metrics(const TableReader& experiment);

// variants = { NAME of a parameter = { its values }, .. }
std::vector<Variation> read_variants(const TableReader& experiment, const SceneContext& scene);

}  // namespace torsor::lua

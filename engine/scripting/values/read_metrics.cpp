#include "torsor/scripting/values/read_metrics.hpp"

namespace torsor::lua {

std::optional<MetricsOptions> read_metrics(const TableReader& table) {
  if (!table.has("metrics")) return std::nullopt;
  MetricsOptions out;
  if (table.is_flag("metrics"))
    return table.flag_or("metrics", false) ? std::optional(out) : std::nullopt;
  const TableReader options =
      table.table("metrics", {"from", "settling_band", "settling_error", "joints"});
  if (options.has("settling_band") && options.has("settling_error"))
    options.fail(
        "has both settling_band (fraction of the travel) and settling_error (rad or m); give only "
        "one of them");
  out.from = options.number_or("from", 0);
  if (!(out.from >= 0))
    options.place().inside("from").fail(
        fmt::format("is {} s; it must not be negative", shown(out.from)));
  for (const char* key : {"settling_band", "settling_error"})
    if (options.has(key) && !(options.number(key) > 0))
      options.place().inside(key).fail(
          fmt::format("is {}; it must be positive", shown(options.number(key))));
  out.settling_band = options.number_or("settling_band", out.settling_band);
  if (options.has("settling_error")) out.settling_error = options.number("settling_error");
  if (options.has("joints")) out.joints = options.texts("joints");
  return out;
}

}  // namespace torsor::lua

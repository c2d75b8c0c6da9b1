#include "torsor/plugin/plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "torsor/plugin/plugin_table.hpp"

namespace torsor {

const void* Plugin::interface(const char* id) const {
  const void* offered = nullptr;
  const auto get_interface = [&]() -> torsor_status {
    offered = get()->get_interface(get(), id);
    return TORSOR_OK;
  };
  require_unaltered_host(*this, "get_interface", ask("get_interface", get_interface));
  return offered;
}

void require_unaltered_host(const Plugin& plugin, const char* function, torsor_status status) {
  if (TORSOR_STATUS_CODE(status) == Status::altered)
    throw Error(fmt::format("plugin '{}': {} {}", plugin.descriptor().id, function,
                            host_state_text(status)));
}

torsor_sizes prepare(Plugin& plugin, const torsor_model& model) {
  torsor_sizes sizes{};
  sizes.struct_size = sizeof sizes;
  const torsor_status status =
      plugin.ask("prepare", plugin.get()->prepare, plugin.get(), &model, &sizes);
  if (status == TORSOR_OK) return sizes;
  require_unaltered_host(plugin, "prepare", status);
  std::string reason = plugin.report();
  if (reason.empty()) reason = words_of(status) + ", without a reason";
  const std::string_view id = plugin.descriptor().id, kind = id.substr(0, id.find('.'));
  if (status == TORSOR_BAD_ARGUMENT) throw Error(fmt::format("{} '{}': {}", kind, id, reason));
  if (status == TORSOR_UNSUPPORTED)
    throw UnsupportedModel(fmt::format("{} '{}' does not support this model: {}", kind, id, reason),
                           reason);
  throw Error(fmt::format("{} '{}' failed in prepare: {}", kind, id, reason));
}

// The product 0 x is 0 if x is finite, otherwise NaN. The compiler can vectorise the 16 independent
// sums on any processor.
bool many_finite(const double* x, size_t n) {
  constexpr size_t lanes = 16;
  double lane[lanes] = {};
  size_t k = 0;
  for (; k + lanes <= n; k += lanes)
    for (size_t l = 0; l < lanes; ++l) lane[l] += 0.0 * x[k + l];
  double sum = 0;
  for (const double each : lane) sum += each;
  for (; k < n; ++k) sum += 0.0 * x[k];
  return sum == 0;
}

}  // namespace torsor

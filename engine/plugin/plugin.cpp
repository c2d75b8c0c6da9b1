#include "torsor/plugin/plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
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

// The exponent of a number that is not finite has all bits set. Adding one to the exponent then
// carries into the bit of the sign, which was cleared. Compilers vectorise this loop.
bool many_finite(const double* x, size_t n) {
  constexpr uint64_t exponent = uint64_t(0x7ff) << 52, one = uint64_t(1) << 52;
  uint64_t carries = 0;
  for (size_t k = 0; k < n; ++k) carries |= (std::bit_cast<uint64_t>(x[k]) & exponent) + one;
  return carries >> 63 == 0;
}

}  // namespace torsor

#include "torsor/dynamics/plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>

namespace torsor {

torsor_sizes prepare(Plugin& plugin, const torsor_model& model) {
  torsor_sizes sizes{};
  sizes.struct_size = sizeof sizes;
  const torsor_status status = plugin.get()->prepare(plugin.get(), &model, &sizes);
  if (status == TORSOR_OK) return sizes;
  std::string reason = plugin.report();
  if (reason.empty()) reason = fmt::format("status {}, without a reason", status);
  const std::string_view id = plugin.descriptor().id;
  const std::string_view kind = id.substr(0, id.find('.'));
  if (status == TORSOR_BAD_ARGUMENT) throw Error(fmt::format("{} '{}': {}", kind, id, reason));
  const std::string what = fmt::format("{} '{}' does not take this model: {}", kind, id, reason);
  if (status == TORSOR_UNSUPPORTED) throw UnsupportedModel(what, reason);
  throw Error(what);
}

WorkArea make_work_area(size_t size) {
  if (size > std::numeric_limits<size_t>::max() / (2 * sizeof(double))) throw std::bad_alloc();
  WorkArea work(static_cast<double*>(
      ::operator new[](sizeof(double) * std::max<size_t>(size, 1), std::align_val_t(64))));
  std::fill_n(work.get(), size, 0.0);
  return work;
}

// 0 x is zero where x is finite, and NaN where it is not. Sums side by side become vector code on any processor.
bool all_finite(const double* x, size_t n) {
  constexpr size_t lanes = 16;
  double sum = 0;
  size_t k = 0;
  if (n >= lanes) {
    double lane[lanes] = {};
    for (; k + lanes <= n; k += lanes)
      for (size_t l = 0; l < lanes; ++l) lane[l] += 0.0 * x[k + l];
    for (const double each : lane) sum += each;
  }
  for (; k < n; ++k) sum += 0.0 * x[k];
  return sum == 0;
}

}  // namespace torsor

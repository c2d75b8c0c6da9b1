#pragma once
// SIMD lanes for kernels over a scalar T. A kernel that applies the same formulae to many items,
// such as all dof of a robot, computes with LanesOf<T>: the next `lanes<T>` items at once. Numbers
// use the widest register. Other scalars, such as symbols, have one lane.

#include <cstring>
#include <utility>

#include "torsor/spatial/pack.hpp"

namespace torsor {

template <class T>
struct LaneTraits {
  using Type = T;
  using Mask = bool;
  static constexpr int count = 1;
};
template <>
struct LaneTraits<double> {
  using Type = Pack<native_lanes>;
  using Mask = decltype(Type::Lanes() < Type::Lanes());
  static constexpr int count = native_lanes;
};
template <class T>
using LanesOf = typename LaneTraits<T>::Type;
// A constant choice of lanes.
template <class T>
using LaneMask = typename LaneTraits<T>::Mask;
template <class T>
inline constexpr int lanes = LaneTraits<T>::count;

// Returns the number of groups of lanes for a number of items.
template <class T>
constexpr int groups(int items) {
  return (items + lanes<T> - 1) / lanes<T>;
}

// Load and store `lanes<T>` adjacent numbers. The address need not be aligned.
template <class T>
LanesOf<T> load_lanes(const T* from) {
  if constexpr (lanes<T> == 1) {
    return *from;
  } else {
    LanesOf<T> out;
    std::memcpy(&out, from, sizeof out);
    return out;
  }
}
template <class T>
void store_lanes(T* to, const LanesOf<T>& x) {
  if constexpr (lanes<T> == 1)
    *to = x;
  else
    std::memcpy(to, &x, sizeof x);
}
// Load and store the first `count` numbers only. The other lanes become 0.
template <class T>
LanesOf<T> load_lanes(const T* from, int count) {
  if constexpr (lanes<T> == 1) {
    return *from;
  } else {
    T out[lanes<T>] = {};
    for (int l = 0; l < count; ++l) out[l] = from[l];
    return load_lanes<T>(out);
  }
}
template <class T>
void store_lanes(T* to, const LanesOf<T>& x, int count) {
  if constexpr (lanes<T> == 1) {
    *to = x;
  } else {
    for (int l = 0; l < count; ++l) to[l] = x[l];
  }
}

// Adds a lane to a mask.
template <class T>
void choose(LaneMask<T>& mask, int lane) {
  if constexpr (lanes<T> == 1)
    mask = true;
  else
    mask[lane] = -1;
}
// Returns x in the lanes of a mask, and `otherwise` in the other lanes.
template <class T>
LanesOf<T> select(const LaneMask<T>& mask, const LanesOf<T>& x, const LanesOf<T>& otherwise) {
  if constexpr (lanes<T> == 1)
    return mask ? x : otherwise;
  else
    return LanesOf<T>(mask ? x.lanes : otherwise.lanes);
}

// Calls f(0), ..., f(count - 1). It is not a loop, because gcc would vectorise it with loads and
// stores of whole groups.
template <size_t count, class Function>
[[gnu::always_inline]] inline void unrolled(Function f) {
  [&]<size_t... k>(std::index_sequence<k...>) {
    (f(k), ...);
  }
  (std::make_index_sequence<count>());
}

// Structs of scalars, such as Twist, whose template argument is the scalar: `Struct<LanesOf<T>>`
// holds one `Struct<T>` in each lane.
template <class T, template <class> class Struct>
Struct<T> get_lane(const Struct<LanesOf<T>>& from, int lane) {
  if constexpr (lanes<T> == 1) {
    return from;
  } else {
    Struct<T> out;
    const auto* parts = reinterpret_cast<const T*>(&from) + lane;
    auto* to = reinterpret_cast<T*>(&out);
    unrolled<sizeof out / sizeof(T)>([&](size_t c) { to[c] = parts[c * lanes<T>]; });
    return out;
  }
}
template <class T, template <class> class Struct>
void set_lane(Struct<LanesOf<T>>& to, int lane, const Struct<T>& x) {
  if constexpr (lanes<T> == 1) {
    to = x;
  } else {
    auto* parts = reinterpret_cast<T*>(&to) + lane;
    const auto* from = reinterpret_cast<const T*>(&x);
    unrolled<sizeof x / sizeof(T)>([&](size_t c) { parts[c * lanes<T>] = from[c]; });
  }
}
// Adds the struct of one lane to the lanes of a mask.
template <class T, template <class> class Struct>
void add_lane(const LaneMask<T>& mask, const Struct<LanesOf<T>>& from, int lane,
              Struct<LanesOf<T>>& sum) {
  const auto* parts = reinterpret_cast<const T*>(&from) + lane;
  auto* sums = reinterpret_cast<LanesOf<T>*>(&sum);
  unrolled<sizeof(Struct<T>) / sizeof(T)>([&](size_t c) {
    sums[c] = select<T>(mask, sums[c] + LanesOf<T>(parts[c * lanes<T>]), sums[c]);
  });
}
// Returns x in the lanes of a mask, and `otherwise` in the other lanes.
template <class T, template <class> class Struct>
Struct<LanesOf<T>> select_struct(const LaneMask<T>& mask, const Struct<LanesOf<T>>& x,
                                 Struct<LanesOf<T>> otherwise) {
  const auto* from = reinterpret_cast<const LanesOf<T>*>(&x);
  auto* to = reinterpret_cast<LanesOf<T>*>(&otherwise);
  unrolled<sizeof(Struct<T>) / sizeof(T)>(
      [&](size_t c) { to[c] = select<T>(mask, from[c], to[c]); });
  return otherwise;
}
// Returns the struct of one lane in all lanes.
template <class T, template <class> class Struct>
Struct<LanesOf<T>> spread_lane(const Struct<LanesOf<T>>& from, int lane) {
  if constexpr (lanes<T> == 1) {
    return from;
  } else {
    Struct<LanesOf<T>> out;
    const auto* parts = reinterpret_cast<const T*>(&from) + lane;
    auto* to = reinterpret_cast<LanesOf<T>*>(&out);
    unrolled<sizeof(Struct<T>) / sizeof(T)>(
        [&](size_t c) { to[c] = LanesOf<T>(parts[c * lanes<T>]); });
    return out;
  }
}

}  // namespace torsor

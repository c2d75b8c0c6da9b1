#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "torsor/formats/lint/rules.hpp"
#include "torsor/model/inertia.hpp"

namespace torsor::lint_rules {

namespace {

// The bounding box, in the axes of the link frame, and the total volume of a link's shapes.
struct Extent {
  Vec3<double> low, high;
  double volume = 0;  // m^3; overlapping volumes count twice
};

// Returns the extent of a link's shapes in the link frame. Returns nullopt if the link has no
// shapes, or if the size of a shape is unknown (a mesh).
std::optional<Extent> extent_of(const LinkDescription& link) {
  if (link.visuals.empty() || link.shapes_left_out) return std::nullopt;
  Extent out{{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (const VisualDescription& visual : link.visuals) {
    if (std::holds_alternative<MeshFile>(visual.shape)) return std::nullopt;
    const Vec3<double> half = half_size(visual.shape), &p = visual.X_LV.p;
    const double* r = visual.X_LV.R.m;
    const auto along = [&](int row) {
      return std::abs(r[3 * row]) * half.x + std::abs(r[3 * row + 1]) * half.y +
             std::abs(r[3 * row + 2]) * half.z;
    };
    const Vec3<double> reach{along(0), along(1), along(2)};
    const Vec3<double> low = p - reach, high = p + reach;
    out.low = {std::min(out.low.x, low.x), std::min(out.low.y, low.y), std::min(out.low.z, low.z)};
    out.high = {std::max(out.high.x, high.x), std::max(out.high.y, high.y),
                std::max(out.high.z, high.z)};
    out.volume += volume(visual.shape);
  }
  return out;
}

// Applies the inertia rules to one link that has mass or inertia.
class InertiaRules {
 public:
  InertiaRules(const Surroundings& around, int link, Finder& find)
      : around_(around),
        link_(around.robot.links[link]),
        size_(around.sizes[link]),
        find_(find),
        source_(link_.inertia_source.empty() ? link_.source : link_.inertia_source),
        extent_(extent_of(link_)),
        solid_(around.solids[size_t(link)]) {}

  void run() {
    const SpatialInertia<double>& M = link_.inertia;
    const bool possible = physical_defect(M) == std::nullopt;
    if (!possible) impossible();
    if (M.m == 0) {
      if (possible && M.I.xx + M.I.yy + M.I.zz > 0)
        add(Severity::warning, "inertia.no_mass", "it has a rotational inertia but no mass",
            {{"mass", 0, "kg"}}, "add the mass, or remove both");
      return;
    }
    com_ = (1 / M.m) * M.h;
    moments_ = principal_inertia(M).moments;
    if (possible) proportions();
    place();
    const bool plausible = density() && gyration();
    if (possible && plausible) shape();
  }

 private:
  void add(Severity severity, const char* rule, std::string what,
           std::vector<Finding::Number> numbers, std::string advice) const {
    find_.add(severity, rule, source_, fmt::format("link '{}'", link_.name), std::move(what),
              std::move(numbers), std::move(advice));
  }

  void impossible() const {
    const SpatialInertia<double>& M = link_.inertia;
    const Severity severity =
        around_.robot.nonphysical == Nonphysical::allow ? Severity::warning : Severity::error;
    if (M.m == 0 && norm(M.h) > 0)
      return add(severity, "inertia.moment_without_mass", "it has a first moment but no mass",
                 {{"hx", M.h.x, "kg m"}, {"hy", M.h.y, "kg m"}, {"hz", M.h.z, "kg m"}},
                 "add the mass");
    const auto [a, b, c] = principal_inertia(M).moments;
    const Sym3<double> I = nearest_possible_inertia(M);
    const bool negative = a < -1e-9 * c;  // more negative than rounding errors
    add(severity, negative ? "inertia.not_positive" : "inertia.triangle",
        negative ? "no body has this inertia: a principal moment about the COM is negative"
                 : "no body has this inertia: the two smaller principal moments about the COM sum "
                   "to less than the largest",
        {{"I1", a, "kg m^2"}, {"I2", b, "kg m^2"}, {"I3", c, "kg m^2"}},
        fmt::format("the nearest possible inertia, about the COM in link axes, is ixx = {}, iyy = "
                    "{}, izz = {}, ixy = {}, ixz = {}, iyz = {}",
                    I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
  }

  // Warn only if the smallest moment is not exactly zero: zero is intended and describes an ideal
  // rod. For a real rod, 1 m long and 1 mm thick, the largest moment is about 1e6 times the
  // smallest.
  void proportions() const {
    const auto [a, b, c] = moments_;
    if (a > 0 && c > 1e4 * a && a > 1e-12 * c)
      add(Severity::warning, "inertia.proportions",
          "the largest principal moment is far larger than the smallest",
          {{"I1", a, "kg m^2"}, {"I2", b, "kg m^2"}, {"I3", c, "kg m^2"}, {"I3 / I1", c / a, ""}},
          "only a long thin rod has such moments; look for a misplaced decimal point");
  }

  void place() const {
    const std::vector<Finding::Number> com{
        {"x", com_.x, "m"}, {"y", com_.y, "m"}, {"z", com_.z, "m"}};
    if (extent_) {
      const auto& [low, high, volume] = *extent_;
      const double margin = 0.1 * norm(high - low);
      const auto outside = [&](double x, double from, double to) {
        return x < from - margin || x > to + margin;
      };
      if (outside(com_.x, low.x, high.x) || outside(com_.y, low.y, high.y) ||
          outside(com_.z, low.z, high.z))
        add(Severity::warning, "inertia.com_outside", "the COM is outside the link's shapes", com,
            fmt::format("they extend from ({:.4g}, {:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g}) m; "
                        "check the origins of the inertia and of the shapes, and their units",
                        low.x, low.y, low.z, high.x, high.y, high.z));
    } else if (around_.length > 0 && norm(com_) > 10 * std::max(around_.length, size_.offset)) {
      add(Severity::warning, "inertia.com_far", "the COM is far from the link's frame", com,
          fmt::format(
              "the robot's joints are about {:.3g} m apart; is the COM in millimetres, or in the "
              "base's frame?",
              around_.length));
    }
  }

  // Checks that the mass fits the volume of the shapes. If not, adds a finding and returns false.
  bool density() const {
    if (!extent_) return true;
    // Ignore small placeholders, such as a sensor of 1 g in a cube of 1 mm.
    if (link_.inertia.m < 1e-3 * around_.mass &&
        norm(extent_->high - extent_->low) < 0.05 * around_.length)
      return true;
    // Plausible densities in kg/m^3, from foam or thin shells to above gold.
    constexpr double lightest = 50, heaviest = 25000;
    const double density = link_.inertia.m / extent_->volume;
    if (density >= lightest && density <= heaviest) return true;
    const auto would_fit = [&](double factor) {
      return density * factor >= lightest && density * factor <= heaviest;
    };
    add(Severity::warning, "inertia.density",
        "the mass does not fit the shapes: no material has this density",
        {{"mass", link_.inertia.m, "kg"},
         {"volume of its shapes", extent_->volume, "m^3"},
         {"density", density, "kg/m^3"}},
        would_fit(1e9)    ? "are the shapes in millimetres?"
        : would_fit(1e-3) ? "is the mass in grams?"
        : would_fit(1e-9) ? "are the shapes scaled twice from millimetres?"
                          : "check the mass and the sizes of the shapes");
    return false;
  }

  // The radius of gyration sqrt(I3 / m) is at most the distance from the COM to the farthest point
  // of the body. If the link has no shapes, its size is estimated from the distances between the
  // joints. If the radius is implausible, adds a finding and returns false.
  bool gyration() const {
    const double I = moments_[2], m = link_.inertia.m;
    if ((!extent_ && around_.length == 0) || !(I > 0)) return true;
    const double radius = extent_ ? farthest_corner() : std::max(size_.reach, around_.length);
    const double gyration = std::sqrt(I / m), slack = extent_ ? 1.5 : 3,
                 least = extent_ ? 1.0 / 30 : 1.0 / 500;
    if (gyration >= least * radius && gyration <= slack * radius) return true;
    const bool huge = gyration > radius;
    add(Severity::warning, huge ? "inertia.too_large" : "inertia.too_small",
        huge ? "its inertia is too large for its mass and size"
             : "its inertia is too small for its mass and size",
        {{"radius of gyration", gyration, "m"},
         {extent_ ? "radius of its shapes" : "size of the link", radius, "m"},
         {"mass", m, "kg"},
         {"I3", I, "kg m^2"}},
        slip(I / (0.1 * m * radius * radius)));
    return false;
  }

  // Compares the moments about the COM, in the axes of the link, with those of a solid that has the
  // mass and the shapes. The moments of a thin shell are at most twice as large. Small moments are
  // not compared with each other. A link without rotational inertia is meant to be a point.
  void shape() const {
    if (!solid_ || !(moments_[2] > 0)) return;
    const Sym3<double> I = about_com(link_.inertia), S = about_com(*solid_);
    const std::array<double, 3> solid{S.xx, S.yy, S.zz};
    const double largest = std::ranges::max(solid);
    const auto fits = [&](double given, double expected) {
      constexpr double most = 5;
      return std::abs(given - expected) <= 0.2 * largest ||
             (given <= most * expected && given >= expected / most);
    };
    std::array<size_t, 3> order{0, 1, 2};
    const auto fits_in_order = [&] {
      return fits(I.xx, solid[order[0]]) && fits(I.yy, solid[order[1]]) &&
             fits(I.zz, solid[order[2]]);
    };
    if (fits_in_order()) return;
    bool exchanged = false;
    while (std::ranges::next_permutation(order).found) exchanged |= fits_in_order();
    add(Severity::warning, "inertia.shape", "its inertia is not that of its shapes",
        {{"Ixx", I.xx, "kg m^2"}, {"Iyy", I.yy, "kg m^2"}, {"Izz", I.zz, "kg m^2"}},
        fmt::format(
            "for solid shapes of this mass they are {:.4g}, {:.4g} and {:.4g} kg m^2, about "
            "the COM; {}",
            S.xx, S.yy, S.zz,
            exchanged ? "are the axes exchanged?" : "check the axes and the units of the inertia"));
  }

  static Sym3<double> about_com(const SpatialInertia<double>& M) {
    return inertia_about_com(-M.m, (1 / M.m) * M.h, M.I).I;
  }

  // Returns a remark about wrong units. factor: the inertia divided by a plausible value. A solid
  // body has I = 0.1 m R^2 to 0.4 m R^2, so wrong units give a factor near 1e3, 1e6 or 1e9.
  static std::string slip(double factor) {
    const double thousands = std::log10(factor) / 3;
    const int nearest = int(std::lround(thousands));
    if (std::abs(thousands - nearest) < 0.25) {
      if (nearest == 1) return "it looks 1000 times too large; is it in g m^2?";
      if (nearest == 2) return "it looks 1e6 times too large; is it in kg mm^2?";
      if (nearest == 3) return "it looks 1e9 times too large; is it in g mm^2?";
      if (nearest == -2) return "it looks 1e6 times too small; was it scaled from mm^2 twice?";
    }
    return "check the mass, and that the inertia is in kg m^2";
  }

  double farthest_corner() const {
    const auto& [low, high, volume] = *extent_;
    const auto far = [](double x, double from, double to) {
      return std::max(std::abs(x - from), std::abs(x - to));
    };
    return norm(Vec3<double>{far(com_.x, low.x, high.x), far(com_.y, low.y, high.y),
                             far(com_.z, low.z, high.z)});
  }

  const Surroundings& around_;
  const LinkDescription& link_;
  const LinkSize& size_;
  Finder& find_;
  const std::string& source_;
  std::optional<Extent> extent_;
  const std::optional<SpatialInertia<double>>& solid_;
  Vec3<double> com_{0, 0, 0};
  std::array<double, 3> moments_{};
};

}  // namespace

void check_inertia(const Surroundings& around, int link, Finder& find) {
  if (!around.robot.links[link].grouped) InertiaRules(around, link, find).run();
}

}  // namespace torsor::lint_rules

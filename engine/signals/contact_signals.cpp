#include "torsor/signals/contact_signals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

constexpr const char *all_contacts = "contacts", *world_name = "world";

// The sums and maxima of the contacts between two sets of colliders A and B.
struct ContactSum {
  Vec3<double> force_W{0, 0, 0};   // on B, N
  Vec3<double> moment_W{0, 0, 0};  // on B about the origin of a frame, N m
  double points = 0;               // number of points with a normal force
  double penetration = 0;          // largest overlap, m
  double slip = 0;                 // largest tangential speed of points with a normal force, m/s
};

// A quantity of ContactSum, in the order of the documentation. One of vector and number is null.
struct ContactQuantity {
  const char *name, *unit;
  Vec3<double> ContactSum::*vector;
  double ContactSum::*number;
};
constexpr ContactQuantity contact_quantities[] = {
    {"force", "N", &ContactSum::force_W, nullptr},
    {"moment", "N m", &ContactSum::moment_W, nullptr},
    {"points", "1", nullptr, &ContactSum::points},
    {"penetration", "m", nullptr, &ContactSum::penetration},
    {"slip", "m/s", nullptr, &ContactSum::slip},
};

// Colliders, and the frame about whose origin moments are taken.
struct ColliderSet {
  std::vector<char> has;  // [colliders] flags
  Frame frame{world_name, 0, Pose<double>::identity()};
};

// Returns the colliders of a link or of the world, or the collider with this name; nullopt if there
// are none.
std::optional<ColliderSet> colliders_named(const Model& model, std::string_view name) {
  ColliderSet out{std::vector<char>(model.colliders.size(), 0)};
  bool any = false;
  for (size_t k = 0; k < model.colliders.size(); ++k) {
    const Collider& collider = model.colliders[k];
    const bool of_world = collider.link < 0;
    const std::string_view link =
        of_world ? world_name : std::string_view(model.links[size_t(collider.link)].name);
    if (link != name && collider.name != name) continue;
    out.has[k] = any = true;
    if (!of_world) out.frame = model.frames[size_t(model.links[size_t(collider.link)].frame)];
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

// Returns the flags of the colliders that B does not have.
std::vector<char> other_colliders(const ColliderSet& B) {
  std::vector<char> out = B.has;
  for (char& each : out) each = !each;
  return out;
}

// Sums the contacts of A and B. origin_W: the origin of the frame of B at the time of the contacts.
ContactSum sum_of(std::span<const ContactForce> contacts, const std::vector<char>& A,
                  const std::vector<char>& B, const Vec3<double>& origin_W) {
  ContactSum out;
  for (const ContactForce& contact : contacts) {
    const bool forward = A[size_t(contact.a)] && B[size_t(contact.b)],
               backward = A[size_t(contact.b)] && B[size_t(contact.a)];
    if (!forward && !backward) continue;
    const double sign = forward ? 1 : -1;
    out.force_W = out.force_W + sign * contact.f_W;
    out.moment_W = out.moment_W + sign * (contact.m_W + cross(contact.p_W - origin_W, contact.f_W));
    out.penetration = std::max(out.penetration, -contact.gap);
    if (!touches(contact)) continue;
    out.points += 1;
    out.slip = std::max(out.slip, norm(contact.slip_W));
  }
  return out;
}

ContactColumns quantity_signal(const std::string& signal, const ContactQuantity& quantity,
                               std::vector<char> A, ColliderSet B) {
  ContactColumns out;
  if (quantity.vector)
    for (const char* axis : {"x", "y", "z"})
      out.columns.push_back({fmt::format("{}.{}", signal, axis), quantity.unit, world_name});
  else
    out.columns.push_back({signal, quantity.unit, ""});
  out.write = [&quantity, A = std::move(A), B = std::move(B)](
                  const Simulation& simulation, std::span<const ContactForce> contacts,
                  double*& to) {
    const Vec3<double> origin_W =
        pose_ahead(simulation.state(), B.frame.body, simulation.time_to_contacts()) *
        B.frame.X_BF.p;
    const ContactSum sum = sum_of(contacts, A, B.has, origin_W);
    if (!quantity.vector) {
      *to++ = sum.*quantity.number;
      return;
    }
    const Vec3<double>& vector = sum.*quantity.vector;
    for (const double value : {vector.x, vector.y, vector.z}) *to++ = value;
  };
  return out;
}

// Returns the names of the things that have colliders, each once: links, colliders, the world.
std::vector<std::string> known_names(const Model& model, bool with_colliders) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (const Collider& collider : model.colliders) {
    add(collider.link < 0 ? world_name : model.links[size_t(collider.link)].name);
    if (with_colliders) add(collider.name);
  }
  return out;
}

[[noreturn]] void no_such_name(const Model& model, const std::string& signal,
                               std::string_view name) {
  const std::vector<std::string> names = known_names(model, true);
  constexpr size_t most_listed = 50;
  const std::span<const std::string> listed(names.data(), std::min(names.size(), most_listed));
  throw Error(fmt::format(
      "the signal '{}' does not name links or shapes that can touch: write contact.NAME.QUANTITY "
      "or contact.A:B.QUANTITY, with names of {}{}{}",
      signal, fmt::join(listed, ", "), names.size() > most_listed ? ", .." : "",
      did_you_mean(name, names)));
}

void require_contact(const Model& model, const std::string& signal, const std::vector<char>& A,
                     const std::vector<char>& B) {
  const int n = int(model.colliders.size());
  bool common = false;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      if (!A[size_t(a)] || !B[size_t(b)]) continue;
      common |= a == b;
      if (a != b && may_collide(model, a, b)) return;
    }
  if (common)
    throw Error(fmt::format(
        "the signal '{}' names the same collider twice; name two links or colliders", signal));
  throw Error(
      fmt::format("the signal '{}' is always 0, because this pair is not tested for contact; name "
                  "another pair, "
                  "or add collision_pair with collide = true",
                  signal));
}

// Splits `pair` at a colon into two names. Names may contain colons, so each one may be the
// separator.
std::optional<std::pair<ColliderSet, ColliderSet>> pair_named(const Model& model,
                                                              std::string_view pair) {
  for (size_t colon = pair.find(':'); colon != pair.npos; colon = pair.find(':', colon + 1)) {
    std::optional<ColliderSet> A = colliders_named(model, pair.substr(0, colon)),
                               B = colliders_named(model, pair.substr(colon + 1));
    if (A && B) return std::pair{std::move(*A), std::move(*B)};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> contact_signals(const Model& model) {
  std::vector<std::string> out;
  if (model.colliders.empty()) return out;
  out.emplace_back(all_contacts);
  for (const std::string& name : known_names(model, false))
    for (const ContactQuantity& quantity : contact_quantities)
      out.push_back(fmt::format("{}{}.{}", contact_prefix, name, quantity.name));
  return out;
}

std::optional<ContactColumns> contact_signal(const Model& model, const std::string& signal) {
  const bool of_all = signal == all_contacts;
  if (!of_all && !signal.starts_with(contact_prefix)) return std::nullopt;
  if (model.colliders.empty())
    throw Error(
        fmt::format("the signal '{}' needs collision shapes; add them with arm:collision "
                    "or world:collision",
                    signal));
  if (of_all)
    return ContactColumns{
        {{signal, "1", ""}},
        [](const Simulation&, std::span<const ContactForce> contacts, double*& out) {
          *out++ = double(std::ranges::count_if(contacts, touches));
        }};
  const size_t dot = signal.rfind('.');
  const std::string last = signal.substr(dot + 1);
  const auto quantity = std::ranges::find(contact_quantities, last, &ContactQuantity::name);
  if (quantity == std::end(contact_quantities) || dot < contact_prefix.size()) {
    std::vector<std::string> names;
    for (const ContactQuantity& each : contact_quantities) names.emplace_back(each.name);
    throw Error(
        fmt::format("the signal '{}' does not end with a quantity: write contact.NAME.QUANTITY or "
                    "contact.A:B.QUANTITY, with one of {}{}",
                    signal, fmt::join(names, ", "), did_you_mean(last, names)));
  }
  const std::string_view name =
      std::string_view(signal).substr(contact_prefix.size(), dot - contact_prefix.size());
  if (const std::optional<ColliderSet> one = colliders_named(model, name))
    return quantity_signal(signal, *quantity, other_colliders(*one), *one);
  std::optional<std::pair<ColliderSet, ColliderSet>> pair = pair_named(model, name);
  if (!pair) no_such_name(model, signal, name);
  auto& [A, B] = *pair;
  require_contact(model, signal, A.has, B.has);
  return quantity_signal(signal, *quantity, std::move(A.has), std::move(B));
}

ContactColumns touch_signal(const Model& model, int link, const std::string& signal) {
  std::vector<char> has(model.colliders.size(), 0);
  for (size_t k = 0; k < has.size(); ++k) has[k] = model.colliders[k].link == link;
  if (std::ranges::find(has, 1) == has.end())
    throw Error(fmt::format(
        "the signal '{}' names a link that has no collision shapes; add one with arm:collision, or "
        "name one of {}",
        signal, fmt::join(known_names(model, false), ", ")));
  return {{{signal, "1", ""}},
          [has = std::move(has)](const Simulation&, std::span<const ContactForce> contacts,
                                 double*& out) {
            *out++ = std::ranges::any_of(contacts, [&](const ContactForce& contact) {
              return touches(contact) && (has[size_t(contact.a)] || has[size_t(contact.b)]);
            });
          }};
}

}  // namespace torsor

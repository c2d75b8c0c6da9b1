#pragma once
// Signals of contacts: forces, moments, overlaps and slips of pairs, links and colliders.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/signals/column.hpp"

namespace torsor {

struct ContactForce;
class Simulation;

inline constexpr std::string_view contact_prefix = "contact.";

struct ContactColumns {
  std::vector<Column> columns;
  // Writes the values for the result of Simulation::contact_forces() at the present state.
  std::function<void(const Simulation&, std::span<const ContactForce>, double*& out)> write;
};

// Returns the names of the contact signals of a model that do not name a pair: `contacts`, and
// contact.LINK.QUANTITY of each link with colliders, and of the world. Returns [] without
// colliders.
std::vector<std::string> contact_signals(const Model& model);

// Makes the signal `contacts`, contact.NAME.QUANTITY or contact.A:B.QUANTITY. The names are those
// of links, colliders, or `world` for the world's own colliders. Returns nullopt for a signal that
// has another form. Throws Error if the names or the quantity are unknown.
std::optional<ContactColumns> contact_signal(const Model& model, const std::string& signal);

// Makes the signal of a contact switch on a link: 1 if the link has a touching point, otherwise 0.
// Throws Error if the link has no colliders.
ContactColumns touch_signal(const Model& model, int link, const std::string& signal);

}  // namespace torsor

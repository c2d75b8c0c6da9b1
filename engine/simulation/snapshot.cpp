#include "torsor/simulation/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"

namespace torsor {

const char* name(Work work) {
  static constexpr const char* names[] = {"motors",  "friction", "damping", "wrenches",  "forces",
                                          "contact", "stops",    "changes", "projection"};
  return names[int(work)];
}

uint64_t state_hash(const Snapshot& snapshot) {
  Hash hash;
  hash.add(snapshot.step);
  for (const auto* part : {&snapshot.q, &snapshot.v, &snapshot.motor_q, &snapshot.motor_v,
                           &snapshot.memory, &snapshot.modes, &snapshot.held, &snapshot.contacts})
    hash.add(*part);
  return hash.value();
}

namespace {

constexpr char magic[16] = "torsor state 2\n";

// Header of a saved state. The values of all arrays follow as doubles, in the order of
// for_each_array.
struct Head {
  char magic[16];
  Origin origin;
  uint64_t count;
  int64_t step;
  double energy_zero, next_step;
  uint64_t hash;  // hash of step, energy_zero, next_step and the bytes after the header
};

uint64_t hash_of(const Head& head, std::span<const std::byte> numbers) {
  Hash hash;
  hash.add(head.step);
  hash.add(head.energy_zero);
  hash.add(head.next_step);
  hash.add(numbers.data(), numbers.size());
  return hash.value();
}

Head head_of(std::span<const std::byte> bytes) {
  Head head;
  if (bytes.size() < sizeof head || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    throw Error("this is not a saved state, or it is of another version");
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

void require_whole(const Head& head, std::span<const std::byte> bytes) {
  if (head.count > bytes.size() || bytes.size() != sizeof head + head.count * sizeof(double))
    throw Error("the saved state is too short or too long");
}

void require_undamaged(const Head& head, std::span<const std::byte> bytes) {
  if (head.hash != hash_of(head, bytes.subspan(sizeof head)))
    throw Error("the saved state is damaged: its numbers differ from those that were saved");
}

size_t count_of(const Snapshot& snapshot) {
  size_t count = 0;
  Snapshot::for_each_array(snapshot, [&](const auto& part) { count += part.size(); });
  return count;
}

}  // namespace

std::vector<std::byte> to_bytes(const Snapshot& snapshot, const Origin& origin) {
  Head head{{}, origin, count_of(snapshot), snapshot.step, snapshot.energy_zero, snapshot.next_step,
            0};
  std::memcpy(head.magic, magic, sizeof magic);
  std::vector<std::byte> out(sizeof head + head.count * sizeof(double));
  std::byte* to = out.data() + sizeof head;
  Snapshot::for_each_array(snapshot, [&](const auto& part) {
    const auto bytes = std::as_bytes(std::span(part));
    to = std::copy(bytes.begin(), bytes.end(), to);
  });
  head.hash = hash_of(head, std::span(out).subspan(sizeof head));
  std::memcpy(out.data(), &head, sizeof head);
  return out;
}

void require_state(std::span<const std::byte> bytes) {
  const Head head = head_of(bytes);
  require_whole(head, bytes);
  require_undamaged(head, bytes);
}

long long step_of(std::span<const std::byte> bytes) {
  return head_of(bytes).step;
}

void from_bytes(std::span<const std::byte> bytes, const Origin& origin, Snapshot& out) {
  const Head head = head_of(bytes);
  require_whole(head, bytes);
  const bool other_forces = head.origin.forces != origin.forces;
  if (head.origin.model != origin.model || (!other_forces && head.count != count_of(out)))
    throw Error(
        "the saved state is of another model or another dt; continue it with the same model and "
        "dt");
  if (other_forces)
    throw Error(
        "the saved state is of other forces or controls; continue it with the same ones (versions, "
        "parameters, frames and rates included)");
  require_undamaged(head, bytes);
  out.step = head.step;
  out.energy_zero = head.energy_zero;
  out.next_step = head.next_step;
  const std::byte* from = bytes.data() + sizeof head;
  Snapshot::for_each_array(out, [&](auto& part) {
    const auto to = std::as_writable_bytes(std::span(part));
    std::copy_n(from, to.size(), to.begin());
    from += to.size();
  });
}

}  // namespace torsor

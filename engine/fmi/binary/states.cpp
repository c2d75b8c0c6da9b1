// Saved states of an instance.

#include <cstring>
#include <memory>

#include "torsor/fmi/binary/instance.hpp"

using namespace torsor;
using namespace torsor::fmi;

namespace {

const SavedInstance& saved(fmi3FMUState state) {
  require(state, 1, "FMUState");
  return *static_cast<const SavedInstance*>(state);
}

// The phase is the first byte of a serialized state.
size_t size_of(const SavedInstance& state) {
  return 1 + state.bytes.size();
}

}  // namespace

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return guarded(instance, "fmi3GetFMUState", [&](Instance& at) {
    require(state, 1, "FMUState");
    SavedInstance present{at.phase, at.slave->save()};
    if (*state) {
      *static_cast<SavedInstance*>(*state) = std::move(present);
    } else {
      *state = new SavedInstance(std::move(present));
    }
  });
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  return guarded(instance, "fmi3SetFMUState", [&](Instance& at) {
    const SavedInstance& from = saved(state);
    at.slave->load(from.bytes);
    at.phase = from.phase;
  });
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return guarded(instance, "fmi3FreeFMUState", [&](Instance&) {
    if (!state) return;
    delete static_cast<SavedInstance*>(*state);
    *state = nullptr;
  });
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size) {
  return guarded(instance, "fmi3SerializedFMUStateSize", [&](Instance&) {
    require(size, 1, "size");
    *size = size_of(saved(state));
  });
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
  return guarded(instance, "fmi3SerializeFMUState", [&](Instance&) {
    const SavedInstance& from = saved(state);
    require(bytes, 1, "serializedState");
    if (size != size_of(from))
      throw Error(fmt::format("size is {}; the state has {} bytes", size, size_of(from)));
    bytes[0] = fmi3Byte(from.phase);
    std::memcpy(bytes + 1, from.bytes.data(), from.bytes.size());
  });
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState* state) {
  return guarded(instance, "fmi3DeserializeFMUState", [&](Instance&) {
    require(bytes, 1, "serializedState");
    require(state, 1, "FMUState");
    if (size < 1 || bytes[0] > fmi3Byte(Phase::terminated))
      throw Error("the bytes are no serialized state of this FMU");
    auto out = std::make_unique<SavedInstance>();
    out->phase = Phase(bytes[0]);
    const auto* first = reinterpret_cast<const std::byte*>(bytes);
    out->bytes.assign(first + 1, first + size);
    delete static_cast<SavedInstance*>(*state);
    *state = out.release();
  });
}

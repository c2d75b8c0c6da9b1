#include "torsor/dynamics/parameter.hpp"

#include <algorithm>

namespace torsor {

Frame frame_at(const Model& model, const FramePlace& place) {
  const bool world =
      place.name == "world" && std::none_of(model.frames.begin(), model.frames.end(),
                                            [](const Frame& frame) { return frame.name == "world"; });
  const Frame frame =
      world ? Frame{"world", 0, Pose<double>::identity()} : model.frames[size_t(model.frame(place.name))];
  return {place.name, frame.body, frame.X_BF * place.X};
}

}  // namespace torsor

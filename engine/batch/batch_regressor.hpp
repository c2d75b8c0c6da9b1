#pragma once
// The regressor (mechanics/regressor.hpp) of many states. Computes several states at once, one in
// each lane of a SIMD register of the processor for which the engine is compiled.

#include <optional>

#include "torsor/batch/state_block.hpp"

namespace torsor {

// A frame of a body, to which ten inertial parameters refer.
struct InertialFrame {
  int body;
  std::optional<Pose<double>> X_BF = {};  // empty: the frame of the body itself
};
// Returns the frames of all bodies, the world included: [n_body].
std::vector<InertialFrame> body_frames(const Model& model);

class BatchRegressor {
 public:
  // frames: the ten parameters of frame k belong to the columns from 10 k on. columns: number of
  // columns of Y, at least ten for each frame.
  BatchRegressor(std::shared_ptr<const Model> model, std::vector<InertialFrame> frames,
                 size_t columns);

  // Computes Y [n_v][columns][stride] of every state, with v_r = v and a_r = vdot [n_v][stride], in
  // the layout of the batch (StateBatch). The model of the states must be this object. Columns
  // without a frame, and the columns of frames in the world, are zero.
  //
  // [hot] Does not allocate. The result of a state depends neither on the other states of the batch
  // nor on its place in it. Only one thread at a time may use a BatchRegressor.
  void evaluate(const StateBatch& states, const double* vdot, double* Y);

 private:
  std::shared_ptr<const Model> model_;
  std::vector<InertialFrame> frames_;
  size_t columns_;
  std::vector<uint32_t> nonzero_;  // entries of Y that are not zero in every state, ascending
  StateBlock block_;
  LentArray<double> vdot_, scratch_, Y_;  // [..][lanes]
};

}  // namespace torsor

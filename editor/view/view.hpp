#pragma once
// The 3D view: what it shows and from where.

#include <array>
#include <string>
#include <vector>

#include "torsor/spatial/pose.hpp"

namespace torsor::editor {

// Orbits about a point; z of the world is up.
struct Camera {
  Vec3<double> target{0, 0, 0.5};
  double distance = 3;                     // m
  double azimuth = 0.9, elevation = 0.35;  // rad; azimuth 0 looks along -x
};

struct ViewToggles {
  bool links = true, grid = true, axes = true, frames = false, com = true, inertia = false, wrenches = true,
       trail = true, labels = false;
};

struct ViewState {
  Camera camera;
  ViewToggles toggles;
  std::string trail_frame;    // whose way is drawn; "" : the last frame of the model
  bool fit = true;            // the camera to the scene, at the next frame
  int width = 0, height = 0;  // of the picture that the panel asks for, pixels
  unsigned texture = 0;       // that holds it; 0: there is no renderer
};

}  // namespace torsor::editor

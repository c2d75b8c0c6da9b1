#include "editor/opengl/renderer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "editor/opengl/gl.hpp"
#include "editor/opengl/shaders.hpp"
#include "editor/opengl/solid_set.hpp"

namespace torsor::editor {

namespace {

using Rgb = Vec3<double>;

// Colours of the background, the light and the ground of a theme.
struct Look {
  Rgb zenith, horizon, nadir;  // background, as displayed
  Rgb lamp, sky, ground;       // light, as squared colours
  Rgb line, x, y;
  float line_strength, shadow_strength;
};
constexpr Look dark_look{{0.105, 0.125, 0.155},
                         {0.215, 0.245, 0.285},
                         {0.120, 0.132, 0.150},
                         {0.88, 0.85, 0.80},
                         {0.34, 0.37, 0.42},
                         {0.10, 0.10, 0.11},
                         {0.62, 0.68, 0.75},
                         {0.85, 0.33, 0.31},
                         {0.36, 0.70, 0.40},
                         0.42f,
                         0.55f};
constexpr Look light_look{{0.70, 0.79, 0.89},
                          {0.945, 0.955, 0.965},
                          {0.84, 0.85, 0.865},
                          {0.80, 0.78, 0.74},
                          {0.48, 0.51, 0.55},
                          {0.26, 0.25, 0.24},
                          {0.36, 0.41, 0.48},
                          {0.80, 0.27, 0.25},
                          {0.22, 0.56, 0.28},
                          0.50f,
                          0.34f};

// The orthographic view from the light, for the shadow map. It contains the bounding sphere of all
// solids.
struct LampView {
  std::array<float, 16> clip_from_world;
  double radius;  // m
};
LampView lamp_view(std::span<const Solid> solids, const Vec3<double>& to_lamp) {
  Vec3<double> low{1e30, 1e30, 1e30}, high = -low;
  for (const Solid& solid : solids)
    for (const Vec3<double>& p : box_corners(solid)) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  if (solids.empty()) low = high = {0, 0, 0};
  const Vec3<double> center = 0.5 * (low + high);
  const double radius = std::max(0.5 * norm(high - low), 1e-3), scale = 1 / radius;
  Vec3<double> across = cross(Vec3<double>{0, 1, 0}, to_lamp);
  across = (1 / norm(across)) * across;
  const Vec3<double> rows[3] = {scale * across, scale * cross(to_lamp, across), -scale * to_lamp};
  std::array<float, 16> columns{};
  for (size_t k = 0; k < 3; ++k) {
    columns[k] = float(rows[k].x);
    columns[4 + k] = float(rows[k].y);
    columns[8 + k] = float(rows[k].z);
    columns[12 + k] = float(-dot(rows[k], center));
  }
  columns[15] = 1;
  return {columns, radius};
}

}  // namespace

struct Renderer::Impl {
  Impl() { glGenVertexArrays(1, &numbered); }
  ~Impl() { glDeleteVertexArrays(1, &numbered); }

  gl::Program background{"background", shaders::background_vertex, shaders::background_fragment};
  gl::Program lit{"solid", shaders::solid_vertex, shaders::solid_fragment};
  gl::Program cast{"shadow", shaders::solid_vertex, shaders::shadow_fragment};
  gl::Program floor{"ground", shaders::ground_vertex, shaders::ground_fragment};
  gl::Program stroked{"stroke", shaders::stroke_vertex, shaders::stroke_fragment};
  MeshBank bank;
  SolidSet opaque, clear, ghosts, arrows, ellipsoids;
  gl::Instances strokes{{}, {}, {3, 3, 4, 1}};
  gl::Target target;
  gl::ShadowMap shadow;
  GLuint numbered = 0;  // vertex array without attributes, for gl_VertexID
  const Vec3<double> to_lamp =
      (1 / norm(Vec3<double>{0.5, 0.05, 0.9})) * Vec3<double>{0.5, 0.05, 0.9};

  void upload(const Drawing& drawing);
  void draw_background(const Camera& camera, double aspect, const Look& look);
  void draw_ground(const Camera& camera, const std::array<float, 16>& clip,
                   const std::array<float, 16>& lamp, const Look& look);
  void draw_strokes(const ViewState& view, const std::array<float, 16>& clip);
  void draw_arrows();
  void draw_clear(const SolidSet& set);
};

Renderer::Renderer() : impl_(std::make_unique<Impl>()) {}
Renderer::~Renderer() = default;

void Renderer::Impl::upload(const Drawing& drawing) {
  for (SolidSet* set : {&opaque, &clear, &ghosts, &arrows, &ellipsoids}) set->clear();
  for (const Solid& solid : drawing.solids)
    (solid.color.a < 1 || !drawing.ellipsoids.empty() ? clear : opaque).add(solid);
  for (const Solid& solid : drawing.arrows) arrows.add(solid);
  for (const Solid& solid : drawing.ellipsoids) ellipsoids.add(solid);
  for (const Solid& solid : drawing.ghosts) ghosts.add(solid);
  std::vector<float> floats;
  floats.reserve(11 * drawing.strokes.size());
  for (const auto& [a, b, c, width] : drawing.strokes)
    for (const double number : {a.x, a.y, a.z, b.x, b.y, b.z, c.r, c.g, c.b, c.a, width})
      floats.push_back(float(number));
  strokes.upload(floats);
}

void Renderer::Impl::draw_background(const Camera& camera, double aspect, const Look& look) {
  glDisable(GL_DEPTH_TEST);
  background.use()
      .set("forward", camera.forward())
      .set("right", Camera::tan_half * aspect * camera.right())
      .set("up", Camera::tan_half * camera.up())
      .set("zenith", look.zenith)
      .set("horizon", look.horizon)
      .set("nadir", look.nadir);
  glBindVertexArray(numbered);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glEnable(GL_DEPTH_TEST);
}

void Renderer::Impl::draw_ground(const Camera& camera, const std::array<float, 16>& clip,
                                 const std::array<float, 16>& lamp, const Look& look) {
  const double fade = std::max(5 * camera.distance, 1.5 * std::abs(camera.eye().z));
  floor.use()
      .set("clip_from_world", clip)
      .set("light_from_world", lamp)
      .set("center", float(camera.target.x), float(camera.target.y))
      .set("half_size", float(2.5 * fade))
      .set("fade", float(fade))
      .set("eye", camera.eye())
      .set("line_color", look.line)
      .set("x_color", look.x)
      .set("y_color", look.y)
      .set("line_strength", look.line_strength)
      .set("shadow_strength", look.shadow_strength)
      .set("shadow_texel", 1.0f / gl::ShadowMap::size);
  glDepthMask(GL_FALSE);
  glBindVertexArray(numbered);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDepthMask(GL_TRUE);
}

// Draws strokes. Hidden parts are drawn faintly.
void Renderer::Impl::draw_strokes(const ViewState& view, const std::array<float, 16>& clip) {
  stroked.use()
      .set("clip_from_world", clip)
      .set("picture", float(view.width), float(view.height))
      .set("near", float(view.camera.near()))
      .set("pixel_scale", view.pixel_scale);
  glDepthMask(GL_FALSE);
  stroked.set("opacity", 1);
  strokes.draw();
  glDepthFunc(GL_GREATER);
  stroked.set("opacity", 0.35f);
  strokes.draw();
  glDepthFunc(GL_LEQUAL);
  glDepthMask(GL_TRUE);
}

// Draws arrows in two passes. The first draws hidden parts faintly and does not write to the depth
// buffer. The second draws visible parts.
void Renderer::Impl::draw_arrows() {
  lit.set("glow", 0.6f).set("opacity", 0.3f);
  glDepthMask(GL_FALSE);
  glDepthFunc(GL_GREATER);
  arrows.draw(bank);
  glDepthFunc(GL_LEQUAL);
  glDepthMask(GL_TRUE);
  lit.set("opacity", 1);
  arrows.draw(bank);
  lit.set("glow", 0);
}

// Draws only the nearest of all translucent surfaces, so that the inside of a link remains hidden.
// The first pass writes only depth.
void Renderer::Impl::draw_clear(const SolidSet& set) {
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  set.draw(bank);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  set.draw(bank);
}

unsigned Renderer::render(const ViewState& view, bool dark) {
  if (view.width <= 0 || view.height <= 0) return 0;
  Impl& r = *impl_;
  const Look& look = dark ? dark_look : light_look;
  const double aspect = double(view.width) / view.height;
  const std::array<float, 16> clip = view.camera.clip_from_world(aspect);
  const auto [lamp, lamp_radius] = lamp_view(view.drawing.solids, r.to_lamp);
  r.upload(view.drawing);

  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  r.shadow.begin();
  r.cast.use().set("clip_from_world", lamp).set("light_from_world", lamp);
  if (view.toggles.shadows) {
    r.opaque.draw(r.bank);
    r.clear.draw(r.bank);
  }

  r.target.begin(view.width, view.height);
  r.shadow.bind();
  r.draw_background(view.camera, aspect, look);
  glEnable(GL_BLEND);
  // This keeps the alpha channel of the picture opaque.
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
  r.lit.use()
      .set("clip_from_world", clip)
      .set("light_from_world", lamp)
      .set("eye", view.camera.eye())
      .set("to_lamp", r.to_lamp)
      .set("lamp", look.lamp)
      .set("sky", look.sky)
      .set("ground", look.ground)
      .set("shadow_texel", 1.0f / gl::ShadowMap::size)
      .set("shadow_offset",
           float(2.5 * 2 * lamp_radius / gl::ShadowMap::size))  // 2.5 texels, in m
      .set("opacity", 1)
      .set("glow", 0);
  glEnable(GL_CULL_FACE);
  r.opaque.draw(r.bank);
  r.draw_arrows();
  r.ellipsoids.draw(r.bank);
  glDisable(GL_CULL_FACE);
  if (view.toggles.grid) r.draw_ground(view.camera, clip, lamp, look);
  r.draw_strokes(view, clip);
  r.lit.use().set("opacity", view.drawing.ellipsoids.empty() ? 1 : 0.35f);
  glEnable(GL_CULL_FACE);
  r.draw_clear(r.clear);
  r.lit.set("opacity", 1);
  glEnable(GL_POLYGON_OFFSET_FILL);  // draws a ghost behind a link with the same pose
  glPolygonOffset(1, 8);
  r.draw_clear(r.ghosts);
  glDisable(GL_POLYGON_OFFSET_FILL);
  glDisable(GL_CULL_FACE);
  glDisable(GL_DEPTH_TEST);
  glBindVertexArray(0);
  r.bank.sweep();
  return r.target.resolve();
}

}  // namespace torsor::editor

#pragma once
// The little of OpenGL that the renderer needs, owned by objects.

#include <epoxy/gl.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "torsor/spatial/vec3.hpp"

namespace torsor::editor::gl {

// Throws Error with the driver's first line where the shaders do not compile.
class Program {
 public:
  Program(const char* name, const char* vertex, const char* fragment);
  ~Program();
  Program(const Program&) = delete;

  // Before what follows, which sets its uniforms.
  const Program& use() const;
  const Program& set(const char* uniform, float value) const;
  const Program& set(const char* uniform, float x, float y) const;
  const Program& set(const char* uniform, const Vec3<double>& value) const;
  const Program& set(const char* uniform, const std::array<float, 16>& columns) const;

 private:
  GLuint name_;
};

// A mesh of triangles that is drawn many times, or a strip made of vertex numbers alone, with what
// tells its instances apart.
class Instances {
 public:
  // vertices: position and normal of each; corners: of the triangles, by their numbers. Both empty:
  // 4 numbered vertices of a strip. The instance's attributes come after.
  Instances(std::span<const float> vertices, std::span<const uint32_t> corners,
            std::initializer_list<int> instance_sizes);
  ~Instances();
  Instances(const Instances&) = delete;

  void upload(std::span<const float> instances);
  void draw() const;

 private:
  GLuint array_ = 0, vertices_ = 0, indices_ = 0, instances_ = 0;
  int n_index_ = 0, floats_ = 0, n_instance_ = 0;
};

// A picture with depth, of several samples a pixel, and the texture that it is resolved to.
class Target {
 public:
  Target();
  ~Target();
  Target(const Target&) = delete;

  // Throws Error where the driver does not take the size.
  void begin(int width, int height);
  GLuint resolve();  // the texture

 private:
  GLuint samples_ = 0, color_ = 0, depth_ = 0, resolved_ = 0, texture_ = 0;
  int width_ = 0, height_ = 0;
};

// Depth seen from the lamp.
class ShadowMap {
 public:
  static constexpr int size = 2048;
  ShadowMap();
  ~ShadowMap();
  ShadowMap(const ShadowMap&) = delete;

  void begin();
  void bind() const;  // to texture unit 0

 private:
  GLuint framebuffer_ = 0, texture_ = 0;
};

}  // namespace torsor::editor::gl

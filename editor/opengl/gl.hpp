#pragma once
// The parts of OpenGL that the renderer needs, as owning objects.

#include <epoxy/gl.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "torsor/spatial/vec3.hpp"

namespace torsor::editor::gl {

// A shader program. The constructor throws Error with the first line of the driver's message if the
// shaders cannot be compiled or linked.
class Program {
 public:
  Program(const char* name, const char* vertex, const char* fragment);
  ~Program();
  Program(const Program&) = delete;

  // Makes the program current. Must be called before set(), which sets uniforms.
  const Program& use() const;
  const Program& set(const char* uniform, float value) const;
  const Program& set(const char* uniform, float x, float y) const;
  const Program& set(const char* uniform, const Vec3<double>& value) const;
  const Program& set(const char* uniform, const std::array<float, 16>& columns) const;

 private:
  GLuint name_;
};

// A mesh that is drawn many times, with different attributes per instance. It is a triangle mesh,
// or a strip of 4 vertices that have only their index (gl_VertexID).
class Instances {
 public:
  // vertices: position and normal of each vertex. corners: vertex indices of the triangles. If both
  // are empty, the mesh is a strip of 4 vertices without attributes. instance_sizes: number of
  // floats of each attribute of an instance. These attributes follow those of the vertex.
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

// A multisampled framebuffer with depth, and the texture to which it is resolved.
class Target {
 public:
  Target();
  ~Target();
  Target(const Target&) = delete;

  // Starts a picture. Throws Error if the driver rejects the size.
  void begin(int width, int height);
  GLuint resolve();  // returns the texture

 private:
  GLuint samples_ = 0, color_ = 0, depth_ = 0, resolved_ = 0, texture_ = 0;
  int width_ = 0, height_ = 0;
};

// A depth map as seen from the light.
class ShadowMap {
 public:
  static constexpr int size = 2048;
  ShadowMap();
  ~ShadowMap();
  ShadowMap(const ShadowMap&) = delete;

  void begin();
  void bind() const;  // binds it to texture unit 0

 private:
  GLuint framebuffer_ = 0, texture_ = 0;
};

}  // namespace torsor::editor::gl

#include "editor/opengl/gl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "torsor/base/error.hpp"

namespace torsor::editor::gl {

namespace {

std::string first_line(std::string text) {
  return text.substr(0, text.find('\n'));
}

GLuint compile(const char* name, GLenum kind, const char* text) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done) return shader;
  std::string log(2048, '\0');
  glGetShaderInfoLog(shader, GLsizei(log.size()), nullptr, log.data());
  throw Error(fmt::format(
      "the 3D view cannot be drawn: the graphics driver rejects the {} shader of '{}' ({}); "
      "update the driver",
      kind == GL_VERTEX_SHADER ? "vertex" : "fragment", name, first_line(log.c_str())));
}

void check_complete(const char* what) {
  if (const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
      status != GL_FRAMEBUFFER_COMPLETE)
    throw Error(
        fmt::format("the 3D view cannot be drawn: the graphics driver rejects {} (status {:#x}); "
                    "update the driver",
                    what, status));
}

// Describes the attributes in the bound buffer, beginning with attribute `first`. sizes: number of
// floats of each attribute. divisor: 0 for attributes per vertex, 1 per instance. Returns the
// number of floats per vertex or instance.
int describe(std::initializer_list<int> sizes, GLuint first, GLuint divisor) {
  int floats = 0;
  for (const int size : sizes) floats += size;
  size_t offset = 0;
  for (const int size : sizes) {
    glEnableVertexAttribArray(first);
    glVertexAttribPointer(first, size, GL_FLOAT, GL_FALSE, GLsizei(size_t(floats) * sizeof(float)),
                          reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(first++, divisor);
    offset += size_t(size) * sizeof(float);
  }
  return floats;
}

}  // namespace

Program::Program(const char* name, const char* vertex, const char* fragment)
    : name_(glCreateProgram()) {
  const GLuint shaders[] = {compile(name, GL_VERTEX_SHADER, vertex),
                            compile(name, GL_FRAGMENT_SHADER, fragment)};
  for (const GLuint shader : shaders) glAttachShader(name_, shader);
  glLinkProgram(name_);
  for (const GLuint shader : shaders) glDeleteShader(shader);
  GLint done = 0;
  glGetProgramiv(name_, GL_LINK_STATUS, &done);
  if (done) return;
  std::string log(2048, '\0');
  glGetProgramInfoLog(name_, GLsizei(log.size()), nullptr, log.data());
  throw Error(fmt::format(
      "the 3D view cannot be drawn: the graphics driver cannot link '{}' ({}); update the driver",
      name, first_line(log.c_str())));
}
Program::~Program() {
  glDeleteProgram(name_);
}
const Program& Program::use() const {
  glUseProgram(name_);
  return *this;
}
const Program& Program::set(const char* uniform, float value) const {
  glUniform1f(glGetUniformLocation(name_, uniform), value);
  return *this;
}
const Program& Program::set(const char* uniform, float x, float y) const {
  glUniform2f(glGetUniformLocation(name_, uniform), x, y);
  return *this;
}
const Program& Program::set(const char* uniform, const Vec3<double>& value) const {
  glUniform3f(glGetUniformLocation(name_, uniform), float(value.x), float(value.y), float(value.z));
  return *this;
}
const Program& Program::set(const char* uniform, const std::array<float, 16>& columns) const {
  glUniformMatrix4fv(glGetUniformLocation(name_, uniform), 1, GL_FALSE, columns.data());
  return *this;
}

Instances::Instances(std::span<const float> vertices, std::span<const uint32_t> corners,
                     std::initializer_list<int> instance_sizes) {
  glGenVertexArrays(1, &array_);
  glBindVertexArray(array_);
  GLuint first = 0;
  if (!corners.empty()) {
    n_index_ = int(corners.size());
    glGenBuffers(1, &vertices_);
    glBindBuffer(GL_ARRAY_BUFFER, vertices_);
    glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(vertices.size_bytes()), vertices.data(),
                 GL_STATIC_DRAW);
    glGenBuffers(1, &indices_);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, GLsizeiptr(corners.size_bytes()), corners.data(),
                 GL_STATIC_DRAW);
    describe({3, 3}, 0, 0);
    first = 2;
  }
  glGenBuffers(1, &instances_);
  glBindBuffer(GL_ARRAY_BUFFER, instances_);
  floats_ = describe(instance_sizes, first, 1);
  glBindVertexArray(0);
}
Instances::~Instances() {
  glDeleteBuffers(1, &instances_);
  glDeleteBuffers(1, &indices_);
  glDeleteBuffers(1, &vertices_);
  glDeleteVertexArrays(1, &array_);
}
void Instances::upload(std::span<const float> instances) {
  n_instance_ = int(instances.size()) / floats_;
  glBindBuffer(GL_ARRAY_BUFFER, instances_);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(instances.size_bytes()), instances.data(),
               GL_STREAM_DRAW);
}
void Instances::draw() const {
  if (n_instance_ == 0) return;
  glBindVertexArray(array_);
  if (n_index_ > 0)
    glDrawElementsInstanced(GL_TRIANGLES, n_index_, GL_UNSIGNED_INT, nullptr, n_instance_);
  else
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, n_instance_);
}

Target::Target() {
  glGenFramebuffers(1, &samples_);
  glGenFramebuffers(1, &resolved_);
  glGenRenderbuffers(1, &color_);
  glGenRenderbuffers(1, &depth_);
  glGenTextures(1, &texture_);
}
Target::~Target() {
  glDeleteTextures(1, &texture_);
  glDeleteRenderbuffers(1, &depth_);
  glDeleteRenderbuffers(1, &color_);
  glDeleteFramebuffers(1, &resolved_);
  glDeleteFramebuffers(1, &samples_);
}
void Target::begin(int width, int height) {
  if (width != width_ || height != height_) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    const GLsizei samples = std::min(4, most);
    glBindFramebuffer(GL_FRAMEBUFFER, samples_);
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    glBindRenderbuffer(GL_RENDERBUFFER, depth_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_);
    check_complete("the framebuffer");
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, resolved_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
    check_complete("the texture");
    width_ = width;
    height_ = height;
  }
  glBindFramebuffer(GL_FRAMEBUFFER, samples_);
  glViewport(0, 0, width, height);
  glClear(GL_DEPTH_BUFFER_BIT);
}
GLuint Target::resolve() {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, samples_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_);
  glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return texture_;
}

ShadowMap::ShadowMap() {
  glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, size, size, 0, GL_DEPTH_COMPONENT,
               GL_UNSIGNED_INT, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
  constexpr float farthest[4] = {1, 1, 1, 1};
  glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, farthest);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  glGenFramebuffers(1, &framebuffer_);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, texture_, 0);
  glDrawBuffer(GL_NONE);
  glReadBuffer(GL_NONE);
  check_complete("the shadow map");
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}
ShadowMap::~ShadowMap() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteTextures(1, &texture_);
}
void ShadowMap::begin() {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, size, size);
  glClear(GL_DEPTH_BUFFER_BIT);
}
void ShadowMap::bind() const {
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_);
}

}  // namespace torsor::editor::gl

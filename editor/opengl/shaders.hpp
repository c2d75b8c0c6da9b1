#pragma once
// The shader programs of the renderer, GLSL 3.30. World coordinates are in metres, z up. Lighting
// uses linear colours (gamma 2): colours are squared first, and the square root is taken last.

namespace torsor::editor::shaders {

// One triangle over the complete picture. ray is the direction from the eye, not normalized.
inline constexpr const char* background_vertex = R"(#version 330 core
uniform vec3 forward, right, up;  // right, up: half the picture at distance 1
out vec3 ray;
void main() {
  vec2 at = vec2(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1);
  ray = forward + at.x * right + at.y * up;
  gl_Position = vec4(at, 1, 1);
})";

inline constexpr const char* background_fragment = R"(#version 330 core
uniform vec3 zenith, horizon, nadir;
in vec3 ray;
out vec4 color;
void main() {
  float height = normalize(ray).z;
  vec3 sky = mix(horizon, height > 0 ? zenith : nadir, 1 - exp(-3 * abs(height)));
  // Noise of one colour level makes the gradient smooth.
  float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  color = vec4(sky + (grain - 0.5) / 255, 1);
})";

// Solids: a unit mesh, scaled along three axes. The normals of a tapered cylinder are tilted like
// its side.
inline constexpr const char* solid_vertex = R"(#version 330 core
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal_at;
layout(location = 2) in vec4 axis_x;    // w: taper
layout(location = 3) in vec3 axis_y;
layout(location = 4) in vec3 axis_z;
layout(location = 5) in vec3 center;
layout(location = 6) in vec4 color_in;
uniform mat4 clip_from_world, light_from_world;
uniform float shadow_offset;  // m; distance from the surface, so that it does not shade itself
out vec3 point, normal, in_light;
out vec4 paint;
void main() {
  float taper = axis_x.w;
  vec2 across = at.xy * mix(1.0, taper, at.z + 0.5);
  point = center + axis_x.xyz * across.x + axis_y * across.y + axis_z * at.z;
  vec3 n = normal_at;
  if (abs(n.z) < 0.5) n.z += 1 - taper;
  normal = axis_x.xyz * (n.x / dot(axis_x.xyz, axis_x.xyz)) + axis_y * (n.y / dot(axis_y, axis_y)) +
           axis_z * (n.z / dot(axis_z, axis_z));
  paint = color_in;
  vec4 seen = light_from_world * vec4(point + shadow_offset * normalize(normal), 1);
  in_light = seen.xyz * 0.5 + 0.5;
  gl_Position = clip_from_world * vec4(point, 1);
})";

// Light on solids: a directional light from above with shadows and highlights, and ambient light
// from the sky and the ground.
inline constexpr const char* solid_fragment = R"(#version 330 core
uniform vec3 eye, to_lamp;
uniform vec3 lamp, sky, ground;
uniform float opacity, shadow_texel, glow;  // glow: part of the colour without lighting
uniform sampler2DShadow shadow;
in vec3 point, normal, in_light;
in vec4 paint;
out vec4 color;
float lit() {
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    vec2 aside = (vec2(k & 1, k >> 1) - 0.5) * 1.5 * shadow_texel;
    sum += texture(shadow, vec3(in_light.xy + aside, in_light.z - 0.0008));
  }
  return sum / 4;
}
void main() {
  vec3 n = normalize(normal), to_eye = normalize(eye - point), flat_n = cross(dFdx(point), dFdy(point));
  if (dot(n, flat_n) * dot(flat_n, to_eye) < 0) n = -n;  // towards the visible side
  float lean = dot(n, to_lamp);
  float direct = lean > 0 ? lean * lit() : 0;
  vec3 base = paint.rgb * paint.rgb;
  vec3 light = mix(ground, sky, 0.5 + 0.5 * n.z) + lamp * direct;
  float glint = pow(max(dot(n, normalize(to_lamp + to_eye)), 0), 48) * 0.30 * direct;
  float rim = pow(1 - max(dot(n, to_eye), 0), 4) * 0.10;
  color = vec4(sqrt(base * mix(light, vec3(1), glow) + (glint + rim * sky) * (1 - glow)), paint.a * opacity);
})";

inline constexpr const char* shadow_fragment = R"(#version 330 core
void main() {}
)";

// The ground: grid lines with spacings of 0.1 m, 1 m and 10 m, the axes of the world, and the
// shadow. The lines fade with distance and where they are too dense.
inline constexpr const char* ground_vertex = R"(#version 330 core
uniform mat4 clip_from_world, light_from_world;
uniform vec2 center;
uniform float half_size;
out vec2 point;
out vec3 in_light;
void main() {
  point = center + half_size * vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2 - half_size;
  vec4 world = vec4(point, 0, 1);
  in_light = (light_from_world * world).xyz * 0.5 + 0.5;
  gl_Position = clip_from_world * world;
})";

inline constexpr const char* ground_fragment = R"(#version 330 core
uniform vec3 eye, line_color, x_color, y_color;
uniform vec2 center;
uniform float fade, line_strength, shadow_strength, shadow_texel;
uniform sampler2DShadow shadow;
in vec2 point;
in vec3 in_light;
out vec4 color;
vec2 pixel;
float line(vec2 at, float apart, float width) {
  vec2 away = abs(fract(at / apart - 0.5) - 0.5) * apart / pixel;
  vec2 ink = clamp(width * 0.5 + 0.5 - away, 0, 1) * clamp(1.2 - 5 * pixel / apart, 0, 1);
  return max(ink.x, ink.y);
}
void main() {
  pixel = max(fwidth(point), vec2(1e-7));
  vec2 away = (point - center) / fade;
  float near = exp(-dot(away, away));
  if (near < 0.004) discard;
  float ink = line_strength * max(max(0.35 * line(point, 0.1, 1), 0.75 * line(point, 1, 1.2)), line(point, 10, 1.6));
  vec2 axes = clamp(1.4 - abs(point) / pixel, 0, 1);  // of the y axis, of the x axis
  vec3 paint = mix(mix(line_color, y_color, axes.x), x_color, axes.y);
  ink = max(ink, 0.85 * max(axes.x, axes.y)) * near;
  float dark = 0;
  if (eye.z > 0 && all(lessThan(abs(in_light.xy - 0.5), vec2(0.49)))) {  // inside the shadow map
    for (int k = 0; k < 16; ++k) {
      vec2 aside = (vec2(k & 3, k >> 2) - 1.5) * 1.7 * shadow_texel;
      dark += (1 - texture(shadow, vec3(in_light.xy + aside, in_light.z - 0.0015))) / 16;
    }
    dark *= shadow_strength * near;
  }
  float alpha = ink + dark * (1 - ink);
  if (alpha < 0.004) discard;
  color = vec4(alpha > 0 ? paint * ink / alpha : paint, alpha);
})";

// A stroke is a rectangle along its line, with a width in pixels. An end behind the eye is moved to
// the near plane.
inline constexpr const char* stroke_vertex = R"(#version 330 core
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 color_in;
layout(location = 3) in float width;
uniform mat4 clip_from_world;
uniform vec2 picture;  // pixels
uniform float near, pixel_scale;
out vec4 paint;
void main() {
  vec4 a = clip_from_world * vec4(from, 1), b = clip_from_world * vec4(to, 1);
  if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * picture;
  along = length(along) > 1e-6 ? normalize(along) : vec2(1, 0);
  float reach = width * pixel_scale;
  vec4 end = (gl_VertexID & 1) == 0 ? a : b;
  vec2 aside = vec2(-along.y, along.x) * (gl_VertexID < 2 ? 1 : -1) + along * ((gl_VertexID & 1) * 2 - 1) * 0.5;
  paint = color_in;
  gl_Position = end + vec4(aside * reach / picture * end.w, 0, 0);
  if (a.w < near && b.w < near) gl_Position = vec4(2, 2, 2, 1);
})";

inline constexpr const char* stroke_fragment = R"(#version 330 core
uniform float opacity;
in vec4 paint;
out vec4 color;
void main() { color = vec4(paint.rgb, paint.a * opacity); }
)";

}  // namespace torsor::editor::shaders

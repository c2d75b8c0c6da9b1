#include "editor/video/picture.hpp"

#include <fmt/format.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_resize.h>
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cmath>
#include <string>

#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"

namespace torsor::editor {

namespace {

// Copies a picture into another one, with its upper left corner at x, y. Crops parts that do not
// fit.
void lay(const Picture& part, Picture& whole, int x, int y) {
  const int width = std::min(part.width, whole.width - x),
            height = std::min(part.height, whole.height - y);
  for (int row = 0; row < height; ++row)
    std::copy_n(part.rgb.begin() + 3L * row * part.width, 3L * width,
                whole.rgb.begin() + 3L * (long(row + y) * whole.width + x));
}

}  // namespace

Picture fitted(Picture picture, int width, int height) {
  if (picture.width == width && picture.height == height) return picture;
  Picture out{width, height, std::vector<uint8_t>(3 * size_t(width) * size_t(height))};
  const auto odd = [](int has, int wanted) { return has == wanted || has == wanted + 1; };
  if (odd(picture.width, width) && odd(picture.height, height)) {
    lay(picture, out, 0, 0);
    return out;
  }
  const double scale = std::min(double(width) / picture.width, double(height) / picture.height);
  Picture resized;
  resized.width = std::clamp(int(std::lround(scale * picture.width)), 1, width);
  resized.height = std::clamp(int(std::lround(scale * picture.height)), 1, height);
  resized.rgb.resize(3 * size_t(resized.width) * size_t(resized.height));
  if (!stbir_resize_uint8(picture.rgb.data(), picture.width, picture.height, 0, resized.rgb.data(),
                          resized.width, resized.height, 0, 3))
    throw Error("there is not enough memory to resize a picture");
  lay(resized, out, (width - resized.width) / 2, (height - resized.height) / 2);
  return out;
}

void require_png(const char* what, const std::filesystem::path& file) {
  if (file.extension() != ".png")
    throw Error(fmt::format("{} is '{}'; it must end in .png", what, file.string()));
}

void write_png(const std::filesystem::path& file, const Picture& picture) {
  std::string bytes;
  const auto put = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), size_t(size));
  };
  if (!stbi_write_png_to_func(put, &bytes, picture.width, picture.height, 3, picture.rgb.data(), 0))
    cannot_write(file, "there is not enough memory to compress the picture");
  write_file(file, bytes);
}

}  // namespace torsor::editor

#include "editor/app/png.hpp"

#include <fmt/format.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include "torsor/model/error.hpp"

namespace torsor::editor {

void write_png(const std::filesystem::path& file, int width, int height, const std::vector<uint8_t>& rgb) {
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  if (!stbi_write_png(file.c_str(), width, height, 3, rgb.data(), 3 * width))
    throw Error(fmt::format("the picture '{}' cannot be written", file.string()));
}

}  // namespace torsor::editor

#include "torsor/host/prefix.hpp"

namespace torsor {

std::filesystem::path prefix() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
}

}  // namespace torsor

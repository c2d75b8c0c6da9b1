#pragma once
// Text in memory that a process and its children write and read. It remains if one of them ends.

#include <string>
#include <string_view>

namespace torsor {

class SharedText {
 public:
  SharedText();  // throws Error
  ~SharedText();
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  int descriptor() const { return descriptor_; }
  // Appends the text, or its beginning if the memory is not large enough.
  void write(std::string_view text) const;
  std::string read() const;  // returns all of the text

 private:
  int descriptor_;
};

}  // namespace torsor

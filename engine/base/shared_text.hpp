#pragma once
// Text that a process and its children write to and read, and that stays if one of them ends.

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
  // Appends the text, or what there is memory for.
  void write(std::string_view text) const;
  std::string read() const;  // all of it

 private:
  int descriptor_;
};

}  // namespace torsor

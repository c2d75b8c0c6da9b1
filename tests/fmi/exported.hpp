#pragma once
// An FMU that the program `torsor` has exported, unpacked and loaded, for tests.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmi/master.h"
#include "support/scratch_folder.hpp"

namespace torsor::test {

// Runs `torsor` with these arguments, which are quoted for the shell, in a folder. Returns what it
// prints to both outputs. Fails the test if the exit status is another one.
std::string run_torsor(const std::filesystem::path& folder, const std::string& arguments,
                       int exit_status = 0);
std::string text_of(const std::filesystem::path& file);

// A variable of modelDescription.xml.
struct Described {
  uint32_t reference;
  std::string type, causality, unit, start, variability;
};

// What an importer requests at the creation.
struct Importer {
  bool uses_events = false, allows_early_return = false;
};

class ExportedFmu {
 public:
  // Exports a scene with `torsor fmu SCENE OPTIONS`.
  explicit ExportedFmu(const std::string& scene, const std::string& options = "");
  ~ExportedFmu();
  ExportedFmu(const ExportedFmu&) = delete;

  const Fmu& functions() const { return fmu_; }
  std::filesystem::path file() const { return folder_.path() / "model.fmu"; }
  std::filesystem::path root() const { return folder_.path() / "unpacked"; }
  std::filesystem::path binary() const;
  const std::string& token() const { return token_; }
  const std::map<std::string, Described>& variables() const { return variables_; }
  uint32_t reference(const std::string& name) const;

  // Creates an instance. Its messages go to `messages`.
  fmi3Instance instantiate(std::string* messages = nullptr, const Importer& importer = {}) const;
  // Creates an instance and initializes it. With events, it is in event mode.
  fmi3Instance started(std::string* messages = nullptr, const Importer& importer = {}) const;

 private:
  void read_description();
  ScratchFolder folder_;
  Fmu fmu_{};
  std::string token_;
  std::map<std::string, Described> variables_;
};

}  // namespace torsor::test

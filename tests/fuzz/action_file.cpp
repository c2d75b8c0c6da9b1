#include "editor/actions/action_file.hpp"

#include "fuzz/support.hpp"
#include "fuzz/targets.hpp"

void torsor::fuzz::action_file(std::string_view input) {
  const auto file = written("actions.txt", input);
  accepts([&] { editor::ActionFile actions(file); });
}

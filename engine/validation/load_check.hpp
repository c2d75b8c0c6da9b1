#pragma once
// Files of plugins that nobody vouches for, before they are loaded here: each is a Registry's FileCheck.

#include <filesystem>

#include "torsor/host/registry.hpp"

namespace torsor::validation {

// Loads the file in a process of its own: one that crashes or hangs meanwhile is to be told, not to end this one. Throws Error with
// that as a clause whose subject is the file; what else is wrong with it, whoever loads it finds out.
void check_loading(const std::filesystem::path& file, const Registry::ScriptLoader& load_script);

// The same of a file that takes the place of one that is loaded, and which must not share what is global with that.
void check_reloading(const std::filesystem::path& file, const Registry::ScriptLoader& load_script);

}  // namespace torsor::validation

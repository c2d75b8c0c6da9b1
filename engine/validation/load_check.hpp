#pragma once
// Checks of untrusted plugin files before they are loaded into this process.

#include <filesystem>

#include "torsor/host/registry.hpp"

namespace torsor::validation {

// Loads the file in a process of its own: one that crashes or hangs meanwhile is to be told, not to
// end this one. Throws Error with that as a clause whose subject is the file; what else is wrong
// with it, whoever loads it finds out.
void check_loading(const std::filesystem::path& file, const Registry::ScriptLoader& load_script);

// A Registry's FileCheck of files that may take the place of others that are loaded: the same, and
// they must not share what is global with those. Scripts pass: their code runs in a sandbox.
void check_reloading(const std::filesystem::path& file);

}  // namespace torsor::validation

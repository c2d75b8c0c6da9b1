#pragma once
// Functions that read untrusted input, one for each fuzz target. An input is a finding if the
// process crashes or if an exception leaves the function; a rejected input is no finding.

#include <string_view>

namespace torsor::fuzz {

// Reads a file of actions of the editor.
void action_file(std::string_view input);

// Reads a CSV recording, and the same rows as a table of numbers. A line "---" separates the rows
// from the JSON file next to them; without it there is no JSON file.
void csv(std::string_view input);

// Reads an HDF5 recording.
void hdf5(std::string_view input);

// Loads a scene or a robot in Lua with small limits. Makes the first steps of its run, or computes
// inverse dynamics of the robot.
void lua(std::string_view input);

// Matches a Lua pattern, the first line of the input, against the remaining lines, and compares the
// result with that of Lua's own library.
void pattern(std::string_view input);

// Reads the note and the symbols of a plugin file. No code of the file runs.
void plugin_file(std::string_view input);

// Loads a saved state into a simulation: the bytes as they are, and the same numbers with the head
// that the simulation expects. Steps from what it accepts.
void saved_state(std::string_view input);

// Reads a file of states for `torsor eval` and computes inverse dynamics at each.
void states(std::string_view input);

// Reads a robot, builds its model, checks it as lint does and computes inverse dynamics. The length
// of the input selects the options of the reader.
void urdf(std::string_view input);

}  // namespace torsor::fuzz

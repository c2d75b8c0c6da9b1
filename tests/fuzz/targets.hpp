#pragma once
// Functions that read untrusted input, one for each fuzz target. An input is a finding if the
// process crashes or if an exception leaves the function. A rejected input is not a finding.

#include <string_view>

namespace torsor::fuzz {

// Reads a file of actions of the editor.
void action_file(std::string_view input);

// Reads a CSV recording, and the same rows as a table of numbers. The text after a line "---" is
// the JSON file of the recording; without such a line there is no JSON file.
void csv(std::string_view input);

// Reads an HDF5 recording.
void hdf5(std::string_view input);

// Loads a scene or a robot in Lua, with small limits. Then makes the first steps of the scene, or
// computes inverse dynamics of the robot.
void lua(std::string_view input);

// Reads a robot in MJCF, builds its model, checks it like lint and computes inverse dynamics. The
// length of the input selects the options of the reader.
void mjcf(std::string_view input);

// Matches a Lua pattern (the first line of the input) against the other lines. Compares the result
// with that of Lua's own library.
void pattern(std::string_view input);

// Reads the note and the symbols of a plugin file. Does not run code of the file.
void plugin_file(std::string_view input);

// Loads the input as a saved state, and a valid saved state with the numbers of the input. Makes
// some steps from each state that is accepted.
void saved_state(std::string_view input);

// Reads a robot in SDF, builds its model, checks it like lint and computes inverse dynamics. The
// length of the input selects the options of the reader.
void sdf(std::string_view input);

// Reads a file of states for `torsor eval` and computes inverse dynamics in each state.
void states(std::string_view input);

// Reads a robot, builds its model, checks it like lint and computes inverse dynamics. The length of
// the input selects the options of the reader.
void urdf(std::string_view input);

}  // namespace torsor::fuzz

#pragma once
// Lua objects of studies: a distribution as the value of a parameter, a finished run as the
// argument of an outcome function, and the table of a study.

#include <filesystem>
#include <lua.hpp>
#include <memory>
#include <string>
#include <vector>

#include "torsor/study/outcome.hpp"
#include "torsor/study/sampling/text_table.hpp"

namespace torsor::lua {

inline constexpr const char *distribution_type = "distribution", *finished_run_type = "run",
                            *study_type = "study";

struct DistributionObject {
  DistributionPtr distribution = {};  // null for the rows of a table, see below
  std::string unit = {};
  bool of_integers = false;  // true: the values are integers in Lua
  bool of_flags = false;     // true: the values are true and false
  // The table of torsor.rows, and the name of the column. "" is the column of the parameter's name.
  std::shared_ptr<const TextTable> table = {};
  std::string table_name = {}, column = {};
};

// Points to a run as long as its outcome function is called. Null afterwards, because a script may
// keep the Lua value.
struct FinishedRunObject {
  const FinishedRun* run = nullptr;
};

// The result of torsor.study.
struct StudyObject {
  std::filesystem::path path;
};

// The argument `outcome` of world:experiment.
struct OutcomeRequest {
  int function;  // key in the Lua registry
  std::vector<std::pair<std::string, std::string>> units;
  std::string source;
};

// Returns the distribution of a parameter with this name. Throws Error if the table has no such
// column.
DistributionPtr distribution_of(const DistributionObject& object, const std::string& parameter);
// Pushes the value that a parameter has in a plain run.
void push_nominal(lua_State* L, const DistributionObject& object, const Distribution& distribution);

}  // namespace torsor::lua

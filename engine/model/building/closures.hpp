#pragma once
// Adds closures to a model. Only the builder uses this header.

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error "source: closure 'NAME': text".
[[noreturn]] void fail_closure(const ClosureDescription& closure, const std::string& text);

// Adds the closures of a robot whose links and frames are in the model. prefix: of the names of the
// robot in the model. Throws Error for an unknown frame, for two frames of one body, for joints
// that a gear, rack or cable cannot couple, and for an axis or a number that the kind cannot have.
void add_closures(const std::vector<ClosureDescription>& closures, const std::string& prefix,
                  Model& model);

}  // namespace torsor

#pragma once
// Vectors for SUNDIALS whose operations are fast for a few dozen numbers. Those of N_VNew_Serial
// take longer than an evaluation of a small robot's motion.

#include <sundials/sundials_nvector.h>

namespace torsor {

// Returns a serial vector [size], or null if there is not enough memory. Its clones have the same
// operations.
N_Vector new_short_vector(sunindextype size, SUNContext context);

}  // namespace torsor

#pragma once
#include "torsor/base/random_values.hpp"

namespace torsor::test {

using Random = RandomValues;

}

#pragma once
#include "torsor/model/random_values.hpp"

namespace torsor::test {

using Random = RandomValues;

}

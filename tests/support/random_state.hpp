#pragma once
#include "support/random_robot.hpp"
#include "torsor/mechanics/random_state.hpp"

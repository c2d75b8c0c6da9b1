#pragma once
#include "support/random_robot.hpp"
#include "torsor/dynamics/random_state.hpp"

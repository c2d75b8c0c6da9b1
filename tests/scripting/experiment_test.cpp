#include "scripting/script_file.hpp"

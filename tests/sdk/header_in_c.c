#include "torsor/sdk/torsor_plugin.h"

extern const size_t layout_in_c[];
const size_t layout_in_c[] = {
#include "layout.inc"
};

// The C header alone, as C++20 here and as C11 in header_in_c.c: both see the same structs.
#include "torsor/sdk/torsor_plugin.h"

#include <gtest/gtest.h>

#include <iterator>

extern "C" const size_t layout_in_c[];

namespace {

TEST(Header, IsTheSameInCAndInCpp) {
  const size_t layout[] = {
#include "layout.inc"
  };
  for (size_t k = 0; k < std::size(layout); ++k) EXPECT_EQ(layout[k], layout_in_c[k]) << "entry " << k;
}

TEST(Header, AStatusCarriesItsCodeAndItsBody) {
  for (const int code : {TORSOR_OK, TORSOR_SINGULAR, TORSOR_INTERNAL})
    for (const int body : {0, 1, 7, 100000}) {
      const torsor_status status = TORSOR_STATUS(code, body);
      EXPECT_EQ(TORSOR_STATUS_CODE(status), code);
      EXPECT_EQ(TORSOR_STATUS_BODY(status), body);
    }
}

}  // namespace

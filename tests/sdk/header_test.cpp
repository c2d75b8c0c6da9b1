// Checks that the C header compiles alone.
#include "torsor/sdk/torsor_plugin.h"

#include <gtest/gtest.h>

namespace {

TEST(Header, AStatusCarriesItsCodeAndItsBody) {
  for (const int code : {TORSOR_OK, TORSOR_SINGULAR, TORSOR_INTERNAL})
    for (const int body : {0, 1, 7, 100000}) {
      const torsor_status status = TORSOR_STATUS(code, body);
      EXPECT_EQ(TORSOR_STATUS_CODE(status), code);
      EXPECT_EQ(TORSOR_STATUS_BODY(status), body);
    }
}

}  // namespace

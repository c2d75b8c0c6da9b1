// Tests that scripts/README.md names what scripts can use.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "torsor/handles/quantity.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/model/joint.hpp"
#include "torsor/scripting/plugins/lua_kind.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

TEST(ScriptsPage, NamesEveryKindIntegratorAndQuantity) {
  std::ifstream in(std::string(TORSOR_SOURCE_DIR) + "/scripts/README.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  for (const std::string& kind : joint_kind_names())
    EXPECT_THAT(page, HasSubstr(fmt::format("`{}`", kind)));
  for (const std::string& integrator : integrator_names())
    EXPECT_THAT(page, HasSubstr(fmt::format("`{}`", integrator)));
  for (const QuantityRow& row : quantities)
    if (row.method) {
      EXPECT_THAT(page, HasSubstr(fmt::format("`d:{}(", row.method)));
    }
  for (const lua::LuaKind& kind : lua::lua_kinds())
    EXPECT_THAT(page, HasSubstr(fmt::format("torsor.{}", kind.name)));
}

}  // namespace
}  // namespace torsor::test

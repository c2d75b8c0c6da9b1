// Tests of permissions: a program that embeds scripts is asked before a script uses a file outside
// its folder. If the program denies the use, the script ends with an error.

#include <gmock/gmock.h>

#include "scripting/script_file.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A script that loads a robot file outside its folder.
struct Case {
  ScriptFolder folder;
  fs::path robot =
      folder.write("others/arm.urdf", "<robot name=\"u\"><link name=\"base\"/></robot>");
  fs::path file = folder.write(
      "own/s.lua",
      "local torsor = require 'torsor'\nlocal arm = torsor.urdf('../others/arm.urdf')\n"
      "return arm");
};

TEST(Access, IsDeniedWithoutAPermission) {
  const Case c;
  try {
    (void)Script().load_robot(c.file);
    FAIL() << "nothing was thrown";
  } catch (const PermissionNeeded& needed) {
    EXPECT_THAT(needed.what(), HasSubstr("s.lua:2: torsor.urdf: "));
    EXPECT_THAT(needed.what(), HasSubstr("permission cannot be given here"));
    EXPECT_EQ(needed.request.kind, AccessRequest::Kind::file);
    EXPECT_EQ(needed.request.file, fs::canonical(c.robot));
    EXPECT_EQ(needed.request.source, c.file.string() + ":2");
    EXPECT_EQ(needed.request.sha256.size(), 64u);
  }
}

TEST(Access, IsRequestedOnceForEachUse) {
  const Case c;
  int asked = 0;
  const Permission permission = [&](const AccessRequest&) {
    ++asked;
    return true;
  };
  EXPECT_EQ(Script({.permission = permission}).load_robot(c.file).name, "u");
  EXPECT_EQ(asked, 1);
  (void)Script({.permission = permission})
      .load_robot(c.folder.write("own/t.lua", "return require('torsor').robot{ name = 'r' }"));
  EXPECT_EQ(asked, 1);
}

// Checks that the time of the permission callback does not count towards the time limit of the
// script.
TEST(Access, DoesNotCountTowardsTheTimeLimit) {
  const Case c;
  const Permission permission = [](const AccessRequest&) {
    const auto asked = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - asked < std::chrono::milliseconds(600)) {
    }
    return true;
  };
  const ScriptLimits limits{.seconds = 0.5};
  const fs::path file = c.folder.write(
      "own/t.lua",
      "local arm = require('torsor').urdf('../others/arm.urdf') for k = 1, 1e4 do end return arm");
  EXPECT_NO_THROW(Script({.limits = limits, .permission = permission}).load_robot(file));
}

// Checks that an exception of the permission callback is passed on.
TEST(Access, PassesOnErrorsOfThePermission) {
  const Case c;
  const Permission permission = [](const AccessRequest&) -> bool { throw Error("no list"); };
  EXPECT_THAT([&] { (void)Script({.permission = permission}).load_robot(c.file); },
              testing::ThrowsMessage<Error>(HasSubstr("s.lua:2: no list")));
}

}  // namespace
}  // namespace torsor::test

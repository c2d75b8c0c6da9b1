// Tests of the dialog about a scene that names a compiled plugin or a file outside its folder.

#include <gmock/gmock.h>

#include "editor/console/console.hpp"
#include "editor/drawn_text.hpp"
#include "editor/windowless_fixture.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TrustQuestion : public WindowlessTest {
 protected:
  void SetUp() override {
    WindowlessTest::SetUp();
    setenv("TORSOR_TEST_MARK", (folder_ / "mark").c_str(), 1);
    fs::create_directories(folder_ / "own");
    fs::copy_file(TEST_PLUGINS "/marking.so", folder_ / "marking.so");
  }
  void TearDown() override {
    unsetenv("TORSOR_TEST_MARK");
    WindowlessTest::TearDown();
  }

  void open(const std::string& statements, bool allow_plugins = false) {
    const fs::path scene =
        write("own/arm.lua", "local torsor = require 'torsor' " + statements + pendulum_scene);
    editor_.emplace(
        shipped_plugins(),
        SessionOptions{.file = scene,
                       .overrides = {},
                       .journal_folder = {},
                       .allow_plugins = allow_plugins,
                       .trust = std::make_shared<Trust>(list(), [](const std::string&) {})},
        Settings{});
    settle();
    frame();
  }
  void answer(const std::string& word) {
    run_action(*editor_, "trust.answer", {word});
    settle();
    frame();
  }
  bool asks() const { return editor_->trust_dialog.shown; }
  bool code_ran() const { return fs::remove(folder_ / "mark"); }
  fs::path list() const { return folder_ / "config/trust.json"; }

  const std::string bring_ = "torsor.plugins{ '../marking.so' } ";
};

TEST_F(TrustQuestion, IsAskedBeforeCodeRuns) {
  open(bring_);
  ASSERT_TRUE(asks()) << last_error(*editor_->now);
  EXPECT_FALSE(editor_->has_scene());
  EXPECT_FALSE(code_ran());
  EXPECT_EQ(editor_->trust_dialog.request->file, fs::canonical(folder_ / "marking.so"));
  EXPECT_THAT(last_error(*editor_->now), HasSubstr("is machine code"));
  answer("no");
  EXPECT_FALSE(asks());
  EXPECT_FALSE(editor_->has_scene());
  EXPECT_FALSE(code_ran());
  EXPECT_THROW(run_action(*editor_, "trust.answer", {"once"}), Error);  // it is already answered
  // After a reload, the dialog asks again.
  editor_->session.post(command::Reload{});
  settle();
  EXPECT_TRUE(asks());
  EXPECT_THROW(run_action(*editor_, "trust.answer", {"yes"}), Error);
  EXPECT_TRUE(asks());
}

TEST_F(TrustQuestion, AnswersAreValidAsLongAsStated) {
  const auto opens = [&] {
    open(bring_);
    return editor_->has_scene() && code_ran();
  };
  open(bring_);
  answer("once");
  EXPECT_TRUE(editor_->has_scene() && code_ran());
  editor_->session.post(command::Reload{});
  settle();
  EXPECT_FALSE(asks());
  EXPECT_FALSE(opens());
  EXPECT_FALSE(fs::exists(list()));
  answer("file");
  EXPECT_TRUE(editor_->has_scene() && code_ran());
  EXPECT_TRUE(opens());
  std::ofstream(folder_ / "marking.so", std::ios::app) << "more";
  EXPECT_FALSE(opens());
  answer("folder");
  EXPECT_TRUE(editor_->has_scene() && code_ran());
  std::ofstream(folder_ / "marking.so", std::ios::app) << "more";
  EXPECT_TRUE(opens());
}

TEST_F(TrustQuestion, IsAskedAboutFilesOutsideToo) {
  write("arm.urdf", "<robot name=\"u\"><link name=\"base\"/></robot>");
  open("torsor.urdf('../arm.urdf') ");
  EXPECT_TRUE(asks());
  EXPECT_EQ(editor_->trust_dialog.request->kind, AccessRequest::Kind::file);
  answer("once");
  EXPECT_TRUE(editor_->has_scene());
}

TEST_F(TrustQuestion, IsNotAskedWithTheOption) {
  open(bring_, true);
  EXPECT_FALSE(asks());
  EXPECT_TRUE(editor_->has_scene() && code_ran());
}

// Checks that a file that does not exist cannot be allowed by itself.
TEST_F(TrustQuestion, MissingFilesCannotBeAllowed) {
  open("torsor.urdf('../none.urdf') ");
  ASSERT_TRUE(asks());
  EXPECT_THROW(run_action(*editor_, "trust.answer", {"once"}), Error);
  EXPECT_FALSE(editor_->has_scene());
}

// Checks that the console has the permissions of its window.
TEST_F(TrustQuestion, AppliesToTheConsole) {
  open("");
  ASSERT_TRUE(editor_->has_scene());
  editor_->console.run("torsor = require 'torsor' torsor.plugins{ '../marking.so' }");
  ASSERT_TRUE(eventually([&] {
    frame();
    return !editor_->console.busy();
  }));
  EXPECT_FALSE(code_ran());
}

}  // namespace
}  // namespace torsor::editor::test

// Tests of the journal that a killed window leaves.

#include "editor/session/journal.hpp"

#include <gmock/gmock.h>

#include "editor/session_fixture.hpp"
#include "support/working_folder.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;
using torsor::test::WorkingFolder;

// Checks that the journal of a killed window is moved aside while a session uses it, and restored
// after the session.
TEST_F(SessionTest, JournalOfAKilledWindowIsRestored) {
  const SessionOptions options{.file = write("p.lua", pendulum_scene),
                               .overrides = {},
                               .journal_folder = folder_ / "journals"};
  const auto journal = journal_file(options.journal_folder, options.file);
  Snapshot state;
  {
    Session session(shipped_plugins(), options);
    settled(session);
    session.post(command::Go{30});
    session.post(command::Edit{session.now()->scene, command::SetPosition{0, 0.1 + 0.2}});
    session.post(command::Go{60});
    session.post(command::Edit{session.now()->scene, command::SetTorque{0, 1.0 / 3}});
    session.post(command::SetSolver{"lie_group"});
    session.post(command::Go{90});
    settled(session);
    session.post(command::Go{70});
    state = settled(session)->state;
    EXPECT_TRUE(eventually([&] {
      return std::filesystem::exists(journal) &&
             text_of(journal).find("\"step\":70,\"end\":90") != std::string::npos;
    }));
    std::filesystem::copy_file(journal, folder_ / "kept");
  }
  EXPECT_FALSE(std::filesystem::exists(journal)) << "a session that ends well leaves nothing";
  std::filesystem::copy_file(folder_ / "kept", journal);
  Session session(shipped_plugins(), options);
  auto now = settled(session);
  expect_same(now->state, state);
  EXPECT_EQ(now->timeline.end(), 90);
  EXPECT_EQ(now->timeline.changes().size(), 3u);
  EXPECT_THAT(problems(*now), HasSubstr("restored from the last session: 3 edits"));
}

TEST_F(SessionTest, EditsOfAnOlderSceneAreKeptAside) {
  const SessionOptions options{.file = write("p.lua", pendulum_scene),
                               .overrides = {},
                               .journal_folder = folder_ / "journals"};
  const auto journal = journal_file(options.journal_folder, options.file);
  std::filesystem::create_directories(options.journal_folder);
  write_journal(journal, {"another", {{0, TorqueChange{{1, 2}}}}, 0, 0, 500});
  Session session(shipped_plugins(), options);
  const auto now = settled(session);
  EXPECT_EQ(now->timeline.changes().size(), 0u);
  EXPECT_THAT(problems(*now),
              HasSubstr("have changed since the last session: its work (1 edit) is not restored"));
  EXPECT_TRUE(std::filesystem::exists(journal.string() + ".old"));
}

TEST_F(SessionTest, AJournalThatIsNoneIsAProblem) {
  for (const char* text : {"", "{", "[]", "{\"scene\": 3}",
                           "{\"scene\":\"\",\"step\":5,\"end\":1,\"limit\":9,\"changes\":[]}",
                           "{\"scene\":\"\",\"step\":0,\"end\":1,\"limit\":9,\"changes\":[{"
                           "\"step\":-1,\"tau\":[]}]}"}) {
    const auto file = write("journal.json", text);
    EXPECT_THAT([&] { (void)read_journal(file); },
                testing::ThrowsMessage<Error>(testing::Not(HasSubstr("json.exception"))))
        << text;
  }
  EXPECT_FALSE(read_journal(folder_ / "missing.json"));
}

TEST_F(SessionTest, AJournalReadsBackToTheSameBits) {
  const Journal journal{
      "abc",
      {{3, StateChange{{0.1 + 0.2, 1e-300}, {-0.0, 1.0 / 3}, {"hinge"}}},
       {3, TorqueChange{{2.5, 1e22}}},
       {9, SolverChange{"solver.x"}},
       {9, ConstraintSolverChange{{"constraint_solver.x", {{"tolerance", 1.0 / 3}}}}},
       {10, PullChange{Pull{"tip", {0.1, 1e-17, -3}, {1.0 / 3, 2, 0}, 1e3, 0.1}}},
       {11, ParameterChange{{{"arm.pid",
                              {{"kp", 1.0 / 3}, {"on", true}, {"law", std::string("a")}},
                              {{"to", std::vector{0.1, 2.0}}, {"path", Rows{{0, 1}, {2, 3}}}}}}}},
       {12, PullChange{}}},
      7,
      12,
      20};
  write_journal(folder_ / "j.json", journal);
  const auto read = read_journal(folder_ / "j.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->step, 7);
  EXPECT_EQ(read->end, 12);
  EXPECT_EQ(read->limit, 20);
  EXPECT_EQ(read->changes, journal.changes);
}

TEST_F(SessionTest, ItPlaysWhereNothingCanBeKept) {
  write("occupied", "");
  Session session(shipped_plugins(), {.file = write(std::string(200, 'n') + ".lua", pendulum_scene),
                                      .overrides = {},
                                      .journal_folder = folder_ / "occupied"});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("edits are lost if the window is killed"));
  session.post(command::SetSpeed{64});
  session.post(command::Play{});
  EXPECT_TRUE(eventually([&] { return session.now()->state.step == 500; }));
  Session long_name(shipped_plugins(), {.file = folder_ / (std::string(200, 'n') + ".lua"),
                                        .overrides = {},
                                        .journal_folder = folder_ / "journals"});
  long_name.post(command::Pause{});
  EXPECT_EQ(problems(*settled(long_name)), "");
}

TEST_F(SessionTest, ASecondWindowKeepsNoJournal) {
  const SessionOptions options{.file = write("p.lua", pendulum_scene),
                               .overrides = {},
                               .journal_folder = folder_ / "journals"};
  const auto journal = journal_file(options.journal_folder, options.file);
  Session first(shipped_plugins(), options);
  first.post(command::Edit{settled(first)->scene, command::SetPosition{0, 0.5}});
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(journal); }));
  {
    Session second(shipped_plugins(), options);
    const auto now = settled(second);
    EXPECT_EQ(now->timeline.changes().size(), 0u);
    EXPECT_THAT(problems(*now), HasSubstr("another window has this scene open"));
  }
  EXPECT_TRUE(std::filesystem::exists(journal)) << "it is the first one's";
}

// Checks that the journal, or its renamed file, remains if a session is stopped, fails, is closed
// early, or cannot load its scene.
TEST_F(SessionTest, AJournalIsNotLostBeforeItIsRestored) {
  const SessionOptions options{.file = write("p.lua", pendulum_scene),
                               .overrides = {},
                               .journal_folder = folder_ / "journals"};
  const auto journal = journal_file(options.journal_folder, options.file);
  std::filesystem::create_directories(options.journal_folder);
  const std::string hash = hash_of({options.file}, options);
  const Journal left{
      hash,
      {{5, TorqueChange{{1, 2}}}, {9, SolverChange{"nowhere"}}, {11, TorqueChange{{0, 0}}}},
      20,
      20,
      500};
  write_journal(journal, left);
  write("p.lua", "return 3");
  {
    Session session(shipped_plugins(), options);
    EXPECT_FALSE(settled(session)->scene);
  }
  EXPECT_TRUE(std::filesystem::exists(journal)) << "the scene did not load";
  write("p.lua", pendulum_scene);
  {
    Session session(shipped_plugins(), options);
    const auto now = settled(session);
    EXPECT_EQ(now->timeline.changes().size(), 1u) << "the second change cannot be made";
    EXPECT_THAT(problems(*now),
                HasSubstr("2 edits not restored; the work of the last session is in"));
  }
  ASSERT_TRUE(std::filesystem::exists(journal.string() + ".old"));
  EXPECT_EQ(read_journal(journal.string() + ".old")->changes.size(), 3u);
  write("journals/" + journal.filename().string(), "{");
  {
    Session session(shipped_plugins(), options);
    EXPECT_THAT(problems(*settled(session)), HasSubstr("cannot be read"));
  }
  EXPECT_EQ(text_of(journal.string() + ".old"), "{");
}

TEST_F(SessionTest, TheSceneOfAJournalIsItsFilesHoweverNamedAndItsParameters) {
  const auto file = write("p.lua", pendulum_scene);
  const WorkingFolder here(folder_);
  EXPECT_EQ(hash_of({file}, {}), hash_of({"p.lua"}, {}));
  EXPECT_EQ(hash_of({file}, {}), hash_of({"./p.lua"}, {}));
  EXPECT_NE(hash_of({file}, {}),
            hash_of({file}, {.file = {}, .overrides = {{"damping", "1"}}, .journal_folder = {}}));
  EXPECT_NE(
      hash_of({file}, {}),
      hash_of({file}, {.file = {}, .overrides = {}, .journal_folder = {}, .floating_base = true}));
}

}  // namespace
}  // namespace torsor::editor::test

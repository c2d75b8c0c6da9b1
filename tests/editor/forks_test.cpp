// Tests of forks and snapshots: each run continues bit for bit as if it were alone.

#include <gmock/gmock.h>

#include "editor/session/journal.hpp"
#include "editor/session_fixture.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;

class ForksTest : public SessionTest {
 protected:
  SessionOptions options(bool with_journal = false) {
    return {.file = write("p.lua", pendulum_scene),
            .overrides = {},
            .journal_folder = with_journal ? folder_ / "journal" : std::filesystem::path()};
  }
  static std::vector<std::string> names(const std::vector<KeptRun>& runs) {
    std::vector<std::string> out;
    for (const KeptRun& run : runs) out.push_back(run.name);
    return out;
  }
};

TEST_F(ForksTest, EachGoesOnAsIfItWereAlone) {
  Session alone(shipped_plugins(), options()), session(shipped_plugins(), options());
  const auto scene = settled(session)->scene;
  settled(alone);
  alone.go(300);
  const Snapshot unforked = settled(alone)->state;
  session.go(300);
  settled(session);
  session.go(100);
  session.fork("pushed");
  const auto parted = settled(session);
  EXPECT_EQ(parted->timeline.end(), 100) << "what lies after it is the other's";
  EXPECT_EQ(parted->forks->at(0).end, 300);
  EXPECT_EQ(names(*parted->forks), (std::vector<std::string>{"run", "pushed"}));
  EXPECT_EQ(parted->fork, 1u);
  session.set_torque(scene, 0, 5);
  session.go(300);
  const Snapshot pushed = settled(session)->state;
  EXPECT_NE(pushed.q, unforked.q);

  session.choose_fork("run");
  const auto back = settled(session);
  EXPECT_EQ(back->state.step, 100) << "where it was left";
  EXPECT_TRUE(back->timeline.changes().empty());
  EXPECT_EQ(back->undoable, 0);
  session.go(300);
  expect_same(settled(session)->state, unforked);
  session.choose_fork("pushed");
  EXPECT_EQ(settled(session)->state.step, 300);
  EXPECT_EQ(session.now()->undoable, 1) << "each has edits of its own to undo";
  session.go(150);
  session.go(300);
  expect_same(settled(session)->state, pushed);
  session.drop_fork("run");
  EXPECT_EQ(names(*settled(session)->forks), (std::vector<std::string>{"pushed"}));
  EXPECT_EQ(session.now()->fork, 0u);
}

TEST_F(ForksTest, ASnapshotComesAgainWhateverWasDoneSince) {
  Session session(shipped_plugins(), options());
  const auto scene = settled(session)->scene;
  session.go(200);
  session.keep_snapshot("high");
  const Snapshot high = settled(session)->state;
  session.go(400);
  session.show_snapshot("high");
  auto now = settled(session);
  expect_same(now->state, high);
  EXPECT_EQ(now->timeline.end(), 400) << "it was on this run: nothing is lost";
  session.go(50);
  session.set_position(scene, 0, -1);
  session.go(90);
  const Snapshot edited = settled(session)->state;
  session.show_snapshot("high");
  now = settled(session);
  expect_same(now->state, high);
  EXPECT_TRUE(now->timeline.changes().empty());
  session.undo();
  expect_same(settled(session)->state, edited);
  session.drop_snapshot("high");
  EXPECT_TRUE(settled(session)->snapshots->empty());
}

TEST_F(ForksTest, NamesAreToldApart) {
  Session session(shipped_plugins(), options());
  settled(session);
  session.fork();
  session.fork();
  session.fork("run");
  session.choose_fork("nothing");
  session.drop_fork("fork 2");
  session.keep_snapshot();
  session.keep_snapshot();
  const auto now = settled(session);
  EXPECT_EQ(names(*now->forks), (std::vector<std::string>{"run", "fork 1", "fork 2"}));
  EXPECT_EQ(names(*now->snapshots), (std::vector<std::string>{"0 s", "0 s (2)"}));
  EXPECT_THAT(problems(*now), HasSubstr("the name 'run' is taken"));
  EXPECT_THAT(problems(*now), HasSubstr("there is no fork 'nothing'"));
  EXPECT_THAT(problems(*now), HasSubstr("'fork 2' is the active run"));
}

// Checks the journal of a killed window.
TEST_F(ForksTest, AKilledWindowsForksAreMadeAgain) {
  Snapshot forked, first, kept;
  const std::filesystem::path killed = folder_ / "killed.json";
  const auto journal = journal_file(folder_ / "journal", folder_ / "p.lua");
  {
    Session session(shipped_plugins(), options(true));
    const auto scene = settled(session)->scene;
    session.go(60);
    session.set_torque(scene, 1, 2);
    session.go(120);
    first = settled(session)->state;
    session.fork("b");
    session.set_velocity(scene, 0, 3);
    session.go(180);
    session.keep_snapshot("k");
    kept = settled(session)->state;
    session.go(20);
    session.set_position(scene, 0, 1);
    session.go(40);
    forked = settled(session)->state;
    session.keep_snapshot("late");
    EXPECT_TRUE(eventually([&] { return text_of(journal).find("late") != std::string::npos; }));
    std::filesystem::copy(journal, killed);
  }
  std::filesystem::rename(killed, journal);
  Session session(shipped_plugins(), options(true));
  expect_same(settled(session)->state, forked);
  EXPECT_EQ(names(*session.now()->forks), (std::vector<std::string>{"run", "b"}));
  session.choose_fork("run");
  expect_same(settled(session)->state, first);
  session.choose_fork("b");
  expect_same(settled(session)->state, forked);
  session.show_snapshot("k");
  expect_same(settled(session)->state, kept);
  session.undo();
  expect_same(settled(session)->state, forked);
}

}  // namespace
}  // namespace torsor::editor::test

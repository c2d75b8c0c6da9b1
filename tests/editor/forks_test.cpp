// Tests of forks and snapshots: each run continues bit for bit as if there were no other runs.

#include <gmock/gmock.h>

#include "editor/panels/runs/runs.hpp"
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
  static std::vector<std::string> names(const std::vector<StoredRun>& runs) {
    std::vector<std::string> out;
    for (const StoredRun& run : runs) out.push_back(run.name);
    return out;
  }
};

TEST_F(ForksTest, EachContinuesIndependently) {
  const SessionOptions both = options();  // written once: one session may be reading the file
  Session alone(shipped_plugins(), both), session(shipped_plugins(), both);
  const auto scene = settled(session)->scene;
  settled(alone);
  alone.post(command::Go{300});
  const Snapshot unforked = settled(alone)->state;
  session.post(command::Go{300});
  settled(session);
  session.post(command::Go{100});
  session.post(command::Fork{"pushed"});
  const auto parted = settled(session);
  EXPECT_EQ(parted->timeline.end(), 100) << "what lies after it is the other's";
  EXPECT_EQ(parted->forks->at(0).end, 300);
  EXPECT_EQ(names(*parted->forks), (std::vector<std::string>{"run", "pushed"}));
  EXPECT_EQ(parted->fork, 1u);
  session.post(command::Edit{scene, command::SetTorque{0, 5}});
  session.post(command::Go{300});
  const Snapshot pushed = settled(session)->state;
  EXPECT_NE(pushed.q, unforked.q);

  session.post(command::ChooseFork{"run"});
  const auto back = settled(session);
  EXPECT_EQ(back->state.step, 100) << "where it was left";
  EXPECT_TRUE(back->timeline.changes().empty());
  EXPECT_EQ(back->undoable, 0);
  session.post(command::Go{300});
  expect_same(settled(session)->state, unforked);
  session.post(command::ChooseFork{"pushed"});
  EXPECT_EQ(settled(session)->state.step, 300);
  EXPECT_EQ(session.now()->undoable, 1) << "each has edits of its own to undo";
  session.post(command::Go{150});
  session.post(command::Go{300});
  expect_same(settled(session)->state, pushed);
  session.post(command::DropFork{"run"});
  EXPECT_EQ(names(*settled(session)->forks), (std::vector<std::string>{"pushed"}));
  EXPECT_EQ(session.now()->fork, 0u);
}

TEST_F(ForksTest, ASnapshotComesAgainWhateverWasDoneSince) {
  Session session(shipped_plugins(), options());
  const auto scene = settled(session)->scene;
  session.post(command::Go{200});
  session.post(command::KeepSnapshot{"high"});
  const Snapshot high = settled(session)->state;
  session.post(command::Go{400});
  session.post(command::ShowSnapshot{"high"});
  auto now = settled(session);
  expect_same(now->state, high);
  EXPECT_EQ(now->timeline.end(), 400) << "it was on this run: nothing is lost";
  session.post(command::Go{50});
  session.post(command::Edit{scene, command::SetPosition{0, -1}});
  session.post(command::Go{90});
  const Snapshot edited = settled(session)->state;
  session.post(command::ShowSnapshot{"high"});
  now = settled(session);
  expect_same(now->state, high);
  EXPECT_TRUE(now->timeline.changes().empty());
  session.post(command::Undo{});
  expect_same(settled(session)->state, edited);
  session.post(command::DropSnapshot{"high"});
  EXPECT_TRUE(settled(session)->snapshots->empty());
}

TEST_F(ForksTest, NamesAreDistinct) {
  Session session(shipped_plugins(), options());
  settled(session);
  session.post(command::Fork{});
  session.post(command::Fork{});
  session.post(command::Fork{"run"});
  session.post(command::ChooseFork{"nothing"});
  session.post(command::DropFork{"fork 2"});
  session.post(command::KeepSnapshot{});
  session.post(command::KeepSnapshot{});
  const auto now = settled(session);
  EXPECT_EQ(names(*now->forks), (std::vector<std::string>{"run", "fork 1", "fork 2"}));
  EXPECT_EQ(names(*now->snapshots), (std::vector<std::string>{"0 s", "0 s (2)"}));
  EXPECT_THAT(problems(*now), HasSubstr("the name 'run' is taken"));
  EXPECT_THAT(problems(*now), HasSubstr("there is no fork 'nothing'"));
  EXPECT_THAT(problems(*now), HasSubstr("'fork 2' is the active run"));
}

// Checks the journal of a killed window.
TEST_F(ForksTest, ForksOfAKilledWindowAreRestored) {
  Snapshot forked, first, kept;
  const std::filesystem::path killed = folder_ / "killed.json";
  const auto journal = journal_file(folder_ / "journal", folder_ / "p.lua");
  {
    Session session(shipped_plugins(), options(true));
    const auto scene = settled(session)->scene;
    session.post(command::Go{60});
    session.post(command::Edit{scene, command::SetTorque{1, 2}});
    session.post(command::Go{120});
    first = settled(session)->state;
    session.post(command::Fork{"b"});
    session.post(command::Edit{scene, command::SetVelocity{0, 3}});
    session.post(command::Go{180});
    session.post(command::KeepSnapshot{"k"});
    kept = settled(session)->state;
    session.post(command::Go{20});
    session.post(command::Edit{scene, command::SetPosition{0, 1}});
    session.post(command::Go{40});
    forked = settled(session)->state;
    session.post(command::KeepSnapshot{"late"});
    EXPECT_TRUE(eventually([&] { return text_of(journal).find("late") != std::string::npos; }));
    std::filesystem::copy(journal, killed);
  }
  std::filesystem::rename(killed, journal);
  Session session(shipped_plugins(), options(true));
  expect_same(settled(session)->state, forked);
  EXPECT_EQ(names(*session.now()->forks), (std::vector<std::string>{"run", "b"}));
  session.post(command::ChooseFork{"run"});
  expect_same(settled(session)->state, first);
  session.post(command::ChooseFork{"b"});
  expect_same(settled(session)->state, forked);
  session.post(command::ShowSnapshot{"k"});
  expect_same(settled(session)->state, kept);
  session.post(command::Undo{});
  expect_same(settled(session)->state, forked);
}

TEST_F(ForksTest, AMissingComparisonStatesItsReason) {
  Session session(shipped_plugins(), options());
  ASSERT_TRUE(settled(session)->scene);
  session.post(command::Go{300});
  settled(session);
  session.post(command::Go{100});
  session.post(command::Fork{"longer"});
  session.post(command::Go{400});
  const auto now = settled(session);
  RunsPanel panel;
  const auto missing = [&](const std::string& compared, const SessionState& at) {
    panel.compared = compared;
    const ComparedRun other = compared_run(panel, at);
    EXPECT_EQ(other.run == nullptr, compared.empty() || !other.missing.empty());
    return other.missing;
  };
  EXPECT_EQ(missing("", *now), "");
  EXPECT_EQ(missing("run", *now), "Run 'run' ends before this time.");
  EXPECT_EQ(missing("longer", *now), "Run 'longer' is the current run.");
  EXPECT_EQ(missing("gone", *now), "Run 'gone' was deleted.");
  session.post(command::Go{200});
  EXPECT_EQ(missing("run", *settled(session)), "");

  SessionState at = *now;
  Snapshot start = now->state;
  start.step = 50;
  at.forks = std::make_shared<std::vector<StoredRun>>(std::vector<StoredRun>{
      {"run", Timeline(start), 50, 60}, {"restored", Timeline(start), 50, 60}});
  at.fork = 0;
  at.state.step = 10;
  EXPECT_EQ(missing("restored", at), "Run 'restored' begins after this time.");
  at.state.step = 50;
  EXPECT_EQ(missing("restored", at), "");
  at.state.step = 55;
  EXPECT_EQ(missing("restored", at),
            "Run 'restored' is not computed yet. Switch to it to compute it.");
  at.state.step = 61;
  EXPECT_EQ(missing("restored", at), "Run 'restored' ends before this time.");
}

}  // namespace
}  // namespace torsor::editor::test

// Tests that the work of a session is not lost when its scene is reloaded, closed or saved.

#include <gmock/gmock.h>

#include "editor/session/fit_edits.hpp"
#include "editor/session/journal.hpp"
#include "editor/session_fixture.hpp"
#include "editor/support/unused_name.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class WorkTest : public SessionTest {
 protected:
  SessionOptions options(bool with_journal = false) const {
    return {.file = write("p.lua", pendulum_scene),
            .overrides = {},
            .journal_folder = with_journal ? folder_ / "journal" : std::filesystem::path()};
  }
  // Saves another text of the scene and reloads it. Waits until the run is at its previous step
  // again.
  std::shared_ptr<const SessionState> reloaded(Session& session, const std::string& text) const {
    const auto before = session.now()->scene;
    write("p.lua", text);
    session.post(command::Reload{});
    EXPECT_TRUE(eventually([&] { return session.now()->scene != before; }))
        << problems(*session.now());
    return settled(session);
  }
  // Makes edits at a step of a new session, and reloads the scene with another text.
  template <class Edit>
  std::shared_ptr<const SessionState> edited_and_reloaded(long long step, const Edit& edit,
                                                          const std::string& text) const {
    Session session(shipped_plugins(), options());
    const auto scene = settled(session)->scene;
    session.post(command::Go{step});
    edit(session, scene);
    settled(session);
    return reloaded(session, text);
  }
  static std::vector<std::string> names(const std::vector<StoredRun>& runs) {
    std::vector<std::string> out;
    for (const StoredRun& run : runs) out.push_back(run.name);
    return out;
  }
};

const std::string damped = replaced(pendulum_scene, "damping = 0.1", "damping = 0.2");

// Checks that the run after a reload equals that of a session that loaded the new file and had the
// same edits.
TEST_F(WorkTest, AReloadKeepsTimeAndEdits) {
  Session session(shipped_plugins(), options());
  session.post(command::Edit{settled(session)->scene, command::SetTorque{1, 2}});
  session.post(command::Go{120});
  session.post(command::Edit{settled(session)->scene, command::SetTorque{0, 5}});
  session.post(command::Go{300});
  settled(session);
  session.post(command::Go{200});
  settled(session);
  const auto now = reloaded(session, damped);
  EXPECT_EQ(now->state.step, 200);
  EXPECT_EQ(now->timeline.end(), 300);
  EXPECT_EQ(now->timeline.changes().size(), 2u);
  EXPECT_THAT(problems(*now), HasSubstr("p.lua: reloaded at t = 0.2 s with 2 edits"));

  write("other.lua", damped);
  Session other(shipped_plugins(),
                {.file = folder_ / "other.lua", .overrides = {}, .journal_folder = {}});
  other.post(command::Edit{settled(other)->scene, command::SetTorque{1, 2}});
  other.post(command::Go{120});
  other.post(command::Edit{settled(other)->scene, command::SetTorque{0, 5}});
  other.post(command::Go{200});
  expect_same(now->state, settled(other)->state);

  EXPECT_EQ(now->undoable, 2) << "edits can still be undone";
  session.post(command::Undo{});
  EXPECT_EQ(settled(session)->timeline.changes().size(), 1u);
  session.post(command::Redo{});
  session.post(command::Go{200});
  expect_same(settled(session)->state, now->state);
}

TEST_F(WorkTest, AReloadKeepsForksAndSnapshots) {
  Session session(shipped_plugins(), options());
  const auto scene = settled(session)->scene;
  session.post(command::Go{100});
  session.post(command::Fork{"pushed"});
  session.post(command::Edit{scene, command::SetTorque{0, 5}});
  session.post(command::Go{150});
  session.post(command::KeepSnapshot{"high"});
  session.post(command::Go{180});
  settled(session);
  auto now = reloaded(session, damped);
  EXPECT_EQ(names(*now->forks), (std::vector<std::string>{"run", "pushed"}));
  EXPECT_EQ(names(*now->snapshots), (std::vector<std::string>{"high"}));
  EXPECT_EQ(now->fork, 1u);
  EXPECT_EQ(now->state.step, 180);
  const Snapshot pushed = now->state;
  session.post(command::ChooseFork{"run"});
  now = settled(session);
  EXPECT_EQ(now->state.step, 100);
  EXPECT_TRUE(now->timeline.changes().empty());
  session.post(command::ShowSnapshot{"high"});
  EXPECT_EQ(settled(session)->state.step, 150);
  session.post(command::ChooseFork{"pushed"});
  expect_same(settled(session)->state, pushed);
}

TEST_F(WorkTest, AReloadReportsEditsThatNoLongerFit) {
  std::string text = pendulum_scene;
  const size_t tip = text.find("arm:link{ name = \"tip\"");
  text = replaced(text.erase(tip, text.find("arm:set") - tip), "{2.0, 0.1}", "{2.0}");
  const auto edit = [](Session& session, const auto& scene) {
    session.post(command::Edit{scene, command::SetTorque{0, 5}});
    session.post(command::Edit{scene, command::SetVelocity{1, 0.25}});
    session.post(command::Edit{scene, command::PullFrame{"tip", {}, {1, 0, 0}}});
    session.post(command::Go{60});
  };
  const auto now = edited_and_reloaded(40, edit, text);
  EXPECT_EQ(now->state.step, 60);
  ASSERT_EQ(now->timeline.changes().size(), 2u) << problems(*now);
  EXPECT_EQ(now->torque(), (std::vector<double>{5}));
  EXPECT_THAT(problems(*now), HasSubstr("p.lua: edits that no longer fit the scene: torque at t = "
                                        "0.04 s: joint 'slide' was changed or removed"));
  EXPECT_THAT(problems(*now), HasSubstr("pull at t = 0.04 s: the scene no longer has frame 'tip'"));
}

// Checks a reload with an additional first joint, which changes the indices in q and v, and with
// another dt, which changes the steps.
TEST_F(WorkTest, EditsFitByNameAndTime) {
  const std::string sled =
      "arm:link{ name = \"sled\", joint = { \"prismatic\", name = \"rail\", axis = {1, 0, 0} },\n"
      "  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }\n";
  std::string text = replaced(pendulum_scene, "arm:link{ name = \"rod\",",
                              sled + "arm:link{ name = \"rod\", parent = \"sled\",");
  text = replaced(replaced(text, "{2.0, 0.1}", "{0.5, 2.0, 0.1}"), "dt = 1e-3", "dt = 5e-4");
  const auto edit = [](Session& session, const auto& scene) {
    session.post(command::Edit{scene, command::SetTorque{1, 7}});
    session.post(command::Edit{scene, command::SetPosition{1, 0.25}});
  };
  const auto now = edited_and_reloaded(100, edit, text);
  EXPECT_EQ(now->state.step, 200);
  EXPECT_EQ(now->torque(), (std::vector<double>{0, 0, 7})) << problems(*now);
  EXPECT_EQ(now->state.q[0], 0.5) << "a joint that is new begins where the scene puts it";
  EXPECT_EQ(now->state.q[2], 0.25);
  EXPECT_THAT(problems(*now), Not(HasSubstr("no longer fit")));
}

// Checks that changes defined by the scene are replaced by those of the new text.
TEST_F(WorkTest, ChangesOfTheSceneAreNoEdits) {
  const auto with = [](const char* changes) {
    return replaced(pendulum_scene, "duration = 0.5",
                    std::string("duration = 0.5, changes = {") + changes + "}");
  };
  write("p.lua", with("{ at = 0.1, tau = {1, 0} }"));
  Session session(shipped_plugins(),
                  {.file = folder_ / "p.lua", .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::Go{150});
  EXPECT_FALSE(settled(session)->unsaved.any());
  const auto now = reloaded(session, with("{ at = 0.05, tau = {3, 0} }"));
  ASSERT_EQ(now->timeline.changes().size(), 1u);
  EXPECT_EQ(now->timeline.changes()[0].step, 50);
  EXPECT_EQ(now->torque()[0], 3);
}

TEST_F(WorkTest, PlaybackContinuesAfterAReload) {
  Session session(shipped_plugins(), options());
  settled(session);
  session.post(command::SetSpeed{1.0 / 64});
  session.post(command::Play{});
  EXPECT_TRUE(eventually([&] { return session.now()->state.step > 2; }));
  const auto now = reloaded(session, damped);
  EXPECT_TRUE(now->playing);
  EXPECT_GT(now->state.step, 2);
}

// Checks that redo restores edits that a reload could not restore, because the new scene diverges.
TEST_F(WorkTest, RedoRestoresEditsThatAReloadCouldNot) {
  Session session(shipped_plugins(), options());
  settled(session);
  session.post(command::Go{400});
  session.post(command::Edit{settled(session)->scene, command::SetTorque{0, 5}});
  settled(session);
  const std::string wild = replaced(pendulum_scene, "damping = 0.1", "damping = 1e9");
  auto now = reloaded(session, wild);
  EXPECT_THAT(problems(*now), HasSubstr("1 edit not restored; Redo (Ctrl+Y) restores them"));
  EXPECT_LT(now->state.step, 400);
  EXPECT_EQ(now->redoable, 1);
  now = reloaded(session, damped);
  session.post(command::Redo{});
  now = settled(session);
  EXPECT_EQ(now->state.step, 400);
  EXPECT_EQ(now->torque()[0], 5);
}

TEST_F(WorkTest, AllEditsAreRemovedAndBroughtBackByUndo) {
  Session session(shipped_plugins(), options());
  const auto scene = settled(session)->scene;
  session.post(command::Go{50});
  const Snapshot plain = settled(session)->state;
  session.post(command::Go{0});
  session.post(command::Edit{scene, command::SetTorque{0, 5}});
  session.post(command::Edit{scene, command::SetPosition{0, 1}});
  session.post(command::Go{50});
  const Snapshot edited = settled(session)->state;
  session.post(command::ClearEdits{});
  expect_same(settled(session)->state, plain);
  session.post(command::Undo{});
  expect_same(settled(session)->state, edited);
}

TEST_F(WorkTest, UnsavedWorkIsCounted) {
  Session session(shipped_plugins(), options(true));
  const auto scene = settled(session)->scene;
  EXPECT_TRUE(session.now()->keeps_work);
  EXPECT_FALSE(session.now()->unsaved.any());
  session.post(command::Go{30});
  EXPECT_FALSE(settled(session)->unsaved.any()) << "what was only played can be played again";
  session.post(command::Edit{scene, command::SetTorque{0, 5}});
  session.post(command::Edit{scene, command::SetPosition{0, 1}});
  session.post(command::Fork{});
  session.post(command::KeepSnapshot{});
  EXPECT_EQ(text(settled(session)->unsaved), "2 edits, 1 fork and 1 snapshot");
  session.post(command::SaveRecording{folder_ / "saved"});
  EXPECT_EQ(text(settled(session)->unsaved), "1 fork and 1 snapshot")
      << "a recording has the edits";
  session.post(command::Edit{scene, command::SetTorque{0, 6}});
  EXPECT_EQ(settled(session)->unsaved.edits, 2);
}

TEST_F(WorkTest, WorkThatIsKeptIsRestoredByTheNextSession) {
  const SessionOptions kept = options(true);
  const auto journal = journal_file(kept.journal_folder, kept.file);
  Snapshot state;
  {
    Session session(shipped_plugins(), kept);
    const auto scene = settled(session)->scene;
    session.post(command::Go{30});
    session.post(command::Edit{scene, command::SetTorque{0, 5}});
    session.post(command::Fork{"b"});
    session.post(command::Go{60});
    session.post(command::KeepSnapshot{"k"});
    state = settled(session)->state;
    session.post(command::KeepWork{});
    settled(session);
  }
  EXPECT_TRUE(std::filesystem::exists(journal));
  {
    Session session(shipped_plugins(), kept);
    const auto now = settled(session);
    expect_same(now->state, state);
    EXPECT_EQ(names(*now->forks), (std::vector<std::string>{"run", "b"}));
    EXPECT_THAT(problems(*now),
                HasSubstr("p.lua: restored from the last session: 1 edit, 1 fork and 1 snapshot"));
  }
  EXPECT_FALSE(std::filesystem::exists(journal))
      << "a session that is closed without keeping it leaves none";
}

TEST_F(WorkTest, WithoutAJournalNothingCanBeKept) {
  Session session(shipped_plugins(), options());
  EXPECT_FALSE(settled(session)->keeps_work);
  session.post(command::KeepWork{});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("cannot be kept"));
}

TEST_F(WorkTest, RecordingsAreNumberedUnlessTheyAreToBeReplaced) {
  Session session(shipped_plugins(), options());
  settled(session);
  const std::filesystem::path out = folder_ / "recordings";
  session.post(command::SaveRecording{out});
  settled(session);
  const std::string first = text_of(out / "p.h5");
  session.post(command::Edit{session.now()->scene, command::SetTorque{0, 5}});
  session.post(command::SaveRecording{out});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("recordings/p-2.h5: recording saved"));
  EXPECT_EQ(text_of(out / "p.h5"), first);
  EXPECT_NE(text_of(out / "p-2.h5"), first);
  session.post(command::SaveRecording{out, true});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("recordings/p.h5: recording saved"));
  EXPECT_EQ(text_of(out / "p.h5"), text_of(out / "p-2.h5"));
}

TEST_F(WorkTest, NamesThatAreTakenGetANumber) {
  EXPECT_EQ(unused_name(folder_ / "a.png"), folder_ / "a.png");
  write("a.png", "");
  write("a-2.png", "");
  EXPECT_EQ(unused_name(folder_ / "a.png"), folder_ / "a-3.png");
  EXPECT_EQ(unused_name(folder_ / "v.mp4", {""}), folder_ / "v.mp4");
  std::filesystem::create_directory(folder_ / "v");
  EXPECT_EQ(unused_name(folder_ / "v.mp4", {""}), folder_ / "v-2.mp4");
}

// Checks a file that changes on disk, fails to load, and then has its old content again, without a
// request to reload.
TEST_F(WorkTest, ASceneWithItsOldContentHasNoErrorsOfABrokenOne) {
  const std::string warned = replaced(pendulum_scene, "local world", "print('hello')\nlocal world");
  write("p.lua", warned);
  Session session(shipped_plugins(),
                  {.file = folder_ / "p.lua", .overrides = {}, .journal_folder = {}});
  const auto scene = settled(session)->scene;
  session.post(command::Edit{scene, command::SetPosition{0, 0.5}});
  settled(session);
  EXPECT_EQ(problems(*session.now()), "hello\n");
  write("p.lua", "local x = = 1");
  ASSERT_TRUE(eventually([&] { return session.now()->errors == 1; }));
  write("p.lua", "local y = = 2");
  ASSERT_TRUE(eventually([&] { return session.now()->errors == 2; }));
  settled(session);
  EXPECT_EQ(std::ranges::count(*session.now()->problems, Problem::Kind::error, &Problem::kind), 1)
      << "only the last failure counts: " << problems(*session.now());
  write("p.lua", warned);
  EXPECT_TRUE(eventually([&] { return problems(*session.now()) == "hello\n"; }))
      << problems(*session.now());
  EXPECT_EQ(settled(session)->scene, scene);
  EXPECT_EQ(session.now()->undoable, 1);
}

TEST_F(WorkTest, AStopDoesNotShortenTheRun) {
  Session session(shipped_plugins(), options());
  settled(session);
  session.post(command::Go{500});
  session.post(command::Play{});
  EXPECT_TRUE(eventually([&] { return session.now()->limit == 1000; }));
  session.stop();
  auto now = settled(session);
  EXPECT_EQ(now->limit, 1000);
  EXPECT_FALSE(now->playing);
  session.post(command::Go{100'000'000});
  session.stop();
  now = settled(session);
  EXPECT_EQ(now->limit, std::max(1000LL, now->timeline.end()));
}

}  // namespace
}  // namespace torsor::editor::test

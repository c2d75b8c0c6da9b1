// Tests of videos: the choice of frames, and their output. A script in place of ffmpeg stores its
// input.

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>

#include "editor/probe/sampler.hpp"
#include "editor/video/frame_pace.hpp"
#include "editor/video/video.hpp"
#include "editor/video/video_file.hpp"
#include "editor/windowless_fixture.hpp"
#include "support/file_limit.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class VideoTest : public WindowlessTest {
 protected:
  void SetUp() override {
    WindowlessTest::SetUp();
    ImGui::GetIO().DisplaySize = {321, 201};
    path_ = std::getenv("PATH");
    std::filesystem::create_directories(folder_ / "bin");
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    WindowlessTest::TearDown();
  }

  // Installs a script as ffmpeg; $1 is the file of the video.
  void ffmpeg(const std::string& script) {
    const auto file =
        write("bin/ffmpeg", "#!/bin/sh\necho \"$@\" >" + (folder_ / "words").string() +
                                "\nfor last; do :; done\nset -- \"${last#file:}\"\n" + script);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  void no_ffmpeg() { setenv("PATH", (folder_ / "nowhere").c_str(), 1); }

  std::string start(const std::string& name, const std::string& fps = "20") {
    const std::string file = (folder_ / name).string();
    run_action(*editor_, "video.start", {file, fps});
    return file;
  }
  // Draws frames of the window until the run has stopped or has reached a step. Returns the steps
  // of the run at the frames of the video.
  std::vector<long long> play(long long until = 1LL << 40) {
    std::vector<long long> steps;
    const long long first = editor_->now->state.step;
    editor_->session.post(command::Play{});
    bool played = false;  // a run that no video holds may end between two frames of the window
    // Number of frames since the run has stopped. The last frame of the video may come later.
    int still = 0;
    EXPECT_TRUE(eventually([&] {
      frame();
      played = played || editor_->now->playing || editor_->now->state.step != first;
      if (editor_->video.is_due()) {
        const float width = ImGui::GetIO().DisplaySize.x, height = ImGui::GetIO().DisplaySize.y;
        steps.push_back(editor_->now->state.step);
        editor_->video.take(
            editor_->session, *editor_->now,
            {int(width), int(height), std::vector<uint8_t>(size_t(3 * width * height), 90)});
      }
      still = played && !editor_->now->playing && !editor_->video.is_due() ? still + 1 : 0;
      return still > 50 || editor_->now->state.step >= until;
    }));
    return steps;
  }
  std::string end() {
    run_action(*editor_, "video.stop");
    return written();
  }
  std::string written() {
    EXPECT_TRUE(eventually([&] {
      frame();
      return editor_->idle() && !editor_->video.is_recording();
    }));
    settle();
    return problems(*editor_->now);
  }

  std::string path_;
};

std::vector<long long> every(long long step, long long last) {
  std::vector<long long> out;
  for (long long k = 0; k <= last; k += step) out.push_back(k);
  return out;
}

// Checks a slow window: no frame is missing, and the last step is a frame. The size is even.
TEST_F(VideoTest, FramesAreTakenAtEqualStepsOfTheRun) {
  ffmpeg("cat >\"$1\"");
  open(write("arm.lua", pendulum_scene));
  const std::string file = start("swing.mp4");
  EXPECT_THROW(start("other.mp4"), Error);
  for (int k = 0; k < 5; ++k) {
    frame();
    EXPECT_FALSE(editor_->video.is_due()) << "while nothing plays";
  }
  run_action(*editor_, "time.speed", {"2"});
  EXPECT_EQ(play(), every(100, 500));
  EXPECT_THAT(end(), HasSubstr(file + ": video saved, 0.30 s, 6 frames"));
  EXPECT_EQ(std::filesystem::file_size(file), 6u * 3 * 320 * 200);
  EXPECT_THAT(text_of(folder_ / "words"), HasSubstr("-video_size 320x200 -framerate 20 "));
  EXPECT_THAT(text_of(folder_ / "words"), HasSubstr("yuv420p"));
  EXPECT_THROW(run_action(*editor_, "video.stop"), Error);
}

TEST_F(VideoTest, AJumpInTimeIsACut) {
  ffmpeg("cat >/dev/null");
  open(write("arm.lua", pendulum_scene));
  start("swing.mp4");
  EXPECT_EQ(play(150), every(50, 150));
  run_action(*editor_, "time.pause");
  run_action(*editor_, "time.go", {"0.03"});
  settle();
  EXPECT_THAT(play(180), ElementsAre(30, 80, 130, 180));
  run_action(*editor_, "time.pause");
  settle();
  end();
  run_action(*editor_, "time.go", {"0.03"});
  settle();
  play();
  EXPECT_EQ(editor_->now->state.step, 500) << "nobody holds it any more";
}

// Checks that a step that takes longer than a frame has several frames.
TEST(FramePace, SlowMotionRepeatsPictures) {
  auto scene = std::make_shared<Scene>();
  scene->experiment.dt = 1e-3;
  SessionState now;
  now.scene = scene;
  now.playing = true;
  now.speed = 1.0 / 64;  // 0.3125 steps per frame
  FramePace pace(50);
  int frames = 0;
  for (int step = 0; step < 100; ++step) {
    now.state.step = step;
    now.held_at = step;
    if (!pace.follow(now)) {
      now.held_at = pace.hold();
      ASSERT_TRUE(pace.follow(now));
    }
    frames += pace.take(now);
  }
  EXPECT_NEAR(frames, 320, 3);
}

TEST_F(VideoTest, WithoutFfmpegThereIsAPictureForEachFrame) {
  no_ffmpeg();
  open(write("arm.lua", pendulum_scene));
  run_action(*editor_, "time.speed", {"4"});
  start("swing.mp4", "10");
  EXPECT_EQ(play().size(), 2u);
  EXPECT_THAT(
      end(),
      HasSubstr(
          "ffmpeg is not installed: the frames of the video are saved as pictures in the folder '" +
          (folder_ / "swing").string()));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder_ / "swing/000002.png"));
  try {
    start("swing.png");
    ADD_FAILURE() << "pictures of two videos in a folder";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is not empty"));
  }
}

TEST_F(VideoTest, ADiscardedVideoKeepsAnEmptyFolderOfTheUser) {
  const std::filesystem::path old = folder_ / "old", created = folder_ / "new";
  std::filesystem::create_directories(old);
  const std::atomic<bool> given_up = false;
  for (const std::filesystem::path& folder : {old, created}) {
    const OpenedVideo video = open_video({.file = folder.string() + ".png"}, given_up);
    EXPECT_EQ(video.target, folder);
    EXPECT_TRUE(std::filesystem::is_directory(folder));
    video.file->discard();
  }
  EXPECT_TRUE(std::filesystem::is_directory(old));
  EXPECT_FALSE(std::filesystem::exists(created));
}

TEST_F(VideoTest, WhatFfmpegDiesOfIsSaid) {
  ffmpeg("head -c 400000 >\"$1\"; echo '[libx264 @ 0x5] no space' >&2; echo more >&2; exit 1");
  open(write("arm.lua", pendulum_scene));
  const std::string file = start("swing.mp4", "200");
  EXPECT_GT(play().size(), 2u) << "and the run plays on";
  EXPECT_EQ(editor_->now->state.step, 500);
  EXPECT_THAT(written(), HasSubstr(" s: ffmpeg: no space\n"));
  EXPECT_EQ(std::filesystem::file_size(file), 400000u);
  ffmpeg("kill -9 $$");
  start("swing.mp4");
  play();
  EXPECT_THAT(written(), HasSubstr("ffmpeg was killed: Killed"));
}

// Checks that the window continues while the run waits, and that a second stop ends the video.
TEST_F(VideoTest, AHangingFfmpegIsKilled) {
  ffmpeg("exec tail -f /dev/null");
  open(write("arm.lua", pendulum_scene));
  start("swing.mp4", "100");
  editor_->session.post(command::Play{});
  // Wait until the run is held at the next frame, which cannot be taken.
  EXPECT_TRUE(eventually([&] {
    const bool idle = editor_->session.idle();
    frame();
    if (editor_->video.is_due()) {
      editor_->video.take(editor_->session, *editor_->now,
                          {640, 400, std::vector<uint8_t>(3 * 640 * 400)});
      return false;
    }
    return idle && editor_->now->held_at == editor_->now->state.step &&
           editor_->sampler.up_to_date();
  }));
  EXPECT_LT(editor_->now->state.step, 100);
  run_action(*editor_, "video.stop");
  frame();
  EXPECT_FALSE(editor_->idle());
  EXPECT_THROW(start("other.mp4"), Error);
  // The second stop may come before ffmpeg gets the first frame.
  EXPECT_THAT(end(), testing::AnyOf(HasSubstr("was killed"), HasSubstr("it was cancelled")));
}

TEST_F(VideoTest, WhatCannotBeIsRefused) {
  ffmpeg("cat >/dev/null");
  open(write("arm.lua", pendulum_scene));
  const auto refusal = [&](const Arguments& arguments) -> std::string {
    try {
      run_action(*editor_, "video.start", arguments);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string file = (folder_ / "swing.mp4").string();
  EXPECT_THAT(refusal({(folder_ / "swing.avi").string()}),
              HasSubstr("the name of a video must end in one of .mp4, .mov, "));
  EXPECT_THAT(refusal({file, "0"}), HasSubstr("FPS is 0; it must be from 1 to 240"));
  EXPECT_THAT(refusal({file, "30", "641x400"}),
              HasSubstr("WxH is '641x400'; it must be even numbers"));
  EXPECT_THAT(refusal({"/proc/no/swing.mp4"}),
              HasSubstr("the folder '/proc/no' cannot be created"));
  EXPECT_THAT(refusal({file, "30", "640x400", "more"}), HasSubstr("takes [FILE] [FPS] [WxH]"));
  EXPECT_EQ(refusal({file, "29.97", "640x400"}), "");
  EXPECT_THAT(end(), HasSubstr("no video was saved, because nothing was played"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Picture, IsFittedBetweenBars) {
  Picture white{4, 2, std::vector<uint8_t>(24, 255)};
  const Picture wide = fitted(white, 8, 8);
  ASSERT_EQ(wide.rgb.size(), 192u);
  const auto row = [&](int y) { return int(wide.rgb[size_t(3 * 8 * y + 12)]); };
  EXPECT_THAT((std::array{row(0), row(1), row(2), row(5), row(6), row(7)}),
              ElementsAre(0, 0, 255, 255, 0, 0));
  white.rgb[3] = 7;  // second pixel of the frame
  const Picture cut = fitted(white, 4, 1);
  EXPECT_EQ(cut.rgb.size(), 12u);
  EXPECT_EQ(cut.rgb[3], 7) << "one row too many is cut off, nothing is blurred";
  EXPECT_THROW(write_png("/dev/full", white), Error) << "a full disk";
}

TEST(Picture, IsWrittenIntoANewFolder) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "torsor_picture_folder";
  std::filesystem::remove_all(folder);
  write_png(folder / "a.png", {1, 1, std::vector<uint8_t>(3)});
  EXPECT_TRUE(std::filesystem::exists(folder / "a.png"));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(
      [] {
        write_png("/proc/no/a.png", {1, 1, std::vector<uint8_t>(3)});
      },
      testing::ThrowsMessage<Error>(HasSubstr("cannot write '/proc/no'")));
}

TEST(Picture, ThatDoesNotFitLeavesTheOldOne) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "torsor_picture_disk";
  std::filesystem::remove_all(folder);
  write_png(folder / "a.png", {1, 1, std::vector<uint8_t>(3)});
  const auto size = std::filesystem::file_size(folder / "a.png");
  {
    const torsor::test::FileLimit limit(10);
    EXPECT_THAT(
        [&] {
          write_png(folder / "a.png", {9, 9, std::vector<uint8_t>(243)});
        },
        testing::ThrowsMessage<Error>(HasSubstr("cannot write '")));
  }
  EXPECT_EQ(std::filesystem::file_size(folder / "a.png"), size);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace torsor::editor::test

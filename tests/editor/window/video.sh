# shellcheck shell=bash disable=SC2154
# Tests of videos of the window: their frames do not depend on the speed of this machine.

test_video_is_of_the_run() {
  local file=$scratch/video/swing.mp4 frames
  actions '0 time.go 0.5' "0 video.start $file 20 640x400" '0 time.play' '0.23 scene.select none' '0.61 scene.select none' '1 time.pause' '1 scene.print' '1 video.stop' '1 scene.print' '1 window.quit'
  edit "$scene" --actions "$scratch/actions"
  expect status 0 "$status"
  expect errors '' "$err"
  expect "state at its end" "$(run_hash 1.5)" "$(states | head -1)"
  expect_in "message about the video" "video saved, 1.00 s, 20 frames" "$out"
  if type ffmpeg ffprobe >/dev/null 2>&1; then
    frames=$(ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,pix_fmt,nb_read_frames -of csv=p=0 "$file")
    expect "frames" h264,640,400,yuv420p,20 "$frames"
  else
    echo "ffmpeg is not installed: checking the frames as pictures"
    expect "pictures" 20 "$(find "$scratch/video/swing" -name '*.png' | wc -l)"
    expect "size" 640x400 "$(png_size "$scratch/video/swing/000020.png")"
  fi
}

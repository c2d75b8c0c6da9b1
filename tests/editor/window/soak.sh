# shellcheck shell=bash disable=SC2154
# Plays a scene at ten times real time for SOAK_MINUTES (60). The memory of the window must stay
# bounded.

wait_until_second() { # SECOND of the script
  while ((SECONDS < $1)); do sleep 1; done
}
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; } # kB

soak() {
  local minutes=${SOAK_MINUTES:-60} file=$scratch/swing.lua now early=0 peak=0 second began
  sed "s/duration = 5.0/duration = $((minutes * 660)).0/" "$scene" >"$file"
  actions '0 time.speed 10' '0 time.play'
  "$torsor" edit "$file" --actions "$scratch/actions" >"$scratch/out" 2>"$scratch/err" &
  pid=$!
  wait_for "the window" shows_window
  began=$SECONDS
  while ((SECONDS - began < minutes * 60)); do
    wait_until_second $((SECONDS + 10))
    kill -0 "$pid" 2>/dev/null || {
      fail "the window ended after $((SECONDS - began)) s" "$(cat "$scratch/out" "$scratch/err")"
      return
    }
    now=$(resident) second=$((SECONDS - began))
    ((now > peak)) && peak=$now
    # The memory of the timeline and of the samples is bounded. It must not grow after half of the
    # time.
    ((second > minutes * 30 && early == 0)) && early=$now
    ((second % 60 < 10)) && printf '%5d s  %4d MB\n' "$second" $((now / 1024))
  done
  frame
  step=$(step_of "$line")
  printf 'step %s after %s minutes, %d MB at half time, %d MB at most\n' "$step" "$minutes" $((early / 1024)) $((peak / 1024))
  ((step > minutes * 60 * 1000)) || fail "it played only $step steps"
  ((peak < 1024 * 1024)) || fail "it took $((peak / 1024)) MB"
  ((minutes < 20 || peak < early + early / 10 + 20 * 1024)) || fail "it still grew in the second half"
}

# shellcheck shell=bash disable=SC2154
# Tests of studies in the window.

study() { # ARGUMENTS: writes the table of a study
  table=$scratch/chaos-study.h5
  "$torsor" study scenes/chaos_ensemble.lua --duration 1 --samples 200 --out "$table" --replace "$@" >/dev/null ||
    fail "no study was written"
}

test_a_study_is_shown() {
  local diagram size
  study
  for size in 1280x800 1920x1080; do
    for diagram in histogram scatter bands; do
      actions '0 study.sort exponent descending' '0 study.filter "angle > 0.5"' "0 study.plot $diagram" '0 study.select 17'
      edit "$table" --actions "$scratch/actions" --screenshot "$pictures/study.$diagram.$size.png" --size "$size"
      expect "status of $diagram" 0 "$status"
      expect "errors of $diagram" '' "$err"
    done
  done
}

test_a_sample_is_opened() {
  local repeated hash
  study
  actions '0 study.sample 17' '0 time.go 1' '0 scene.print'
  edit "$table" --actions "$scratch/actions" --screenshot "$pictures/study.sample.png"
  expect "status" 0 "$status"
  expect "errors" '' "$err"
  repeated=$(states)
  hash=$("$torsor" run scenes/chaos_ensemble.lua --sample "$table:17" --folder "$scratch/run" --format csv >/dev/null &&
    sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$scratch/run/chaos_ensemble.json")
  expect "state of the sample" "$hash" "$repeated"
  actions '0 time.go 1' '0 scene.print'
  edit scenes/chaos_ensemble.lua --sample "$table:17" --actions "$scratch/actions" --screenshot "$pictures/study.option.png"
  expect "status of --sample" 0 "$status"
  expect "state of --sample" "$hash" "$(states)"
}

test_a_table_that_cannot_be_read() {
  study
  head -c 5000 "$table" >"$scratch/cut-study.h5"
  actions '0 scene.print'
  edit "$scratch/cut-study.h5" --actions "$scratch/actions" --screenshot "$pictures/study.cut.png"
  expect "status of a table that is cut off" 2 "$status"
  expect_in "its error" "cut-study.h5: not a study: " "$err"
  expect "lines of it" 1 "$(wc -l <<<"$err")"
  edit "$table" --set angle=1
  expect_in "error of parameters for a study" "--set, --sample and --floating-base are only for scenes" "$err"
  "$torsor" view "$table" 2>"$scratch/err" && fail "torsor view shows a study"
  expect_in "error of view" "is a study; open it with \`torsor edit" "$(cat "$scratch/err")"
  edit scenes/chaos_ensemble.lua --sample "$table:900"
  expect_in "error of a sample that does not exist" "the samples are 0 to 199" "$err"
}

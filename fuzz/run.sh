#!/usr/bin/env bash
# Runs the fuzz targets on stable Rust, with the coverage flags that cargo-fuzz passes: see README.md beside this file.
#
#   fuzz/run.sh TARGET|all [AMOUNT]   AMOUNT is a number of executions or, ending in s, of seconds; without, a minute
#   fuzz/run.sh build                 builds only
#   fuzz/run.sh merge TARGET|all      takes into fuzz/corpus what runs by seconds found
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."

# Each target: the longest input, and the folders beside fuzz/corpus that campaigns start from.
targets='
program      4096  corpus/handwritten
kernel_file  2048  corpus/classic corpus/papers corpus/cnn corpus/vyasa corpus/bytes
vector_code  4096  corpus/handwritten-aie
rules        2048  rules
descriptor   24576 rules/scamp5 rules/aie rules/ops
json         4096
picture      2048
'

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
names() { awk 'NF { print $1 }' <<<"$targets"; }
row() { awk -v name="$1" '$1 == name { $1 = ""; print }' <<<"$targets"; }

build() {
  # With a target triple, build scripts and what they link are left as they are.
  # The versions are the project's.
  [ fuzz/Cargo.lock -nt Cargo.lock ] || cp Cargo.lock fuzz/Cargo.lock
  triple=$(rustc -vV | sed -n 's/^host: //p')
  local coverage='--cfg fuzzing -Cpasses=sancov-module'
  local option
  for option in level=4 inline-8bit-counters pc-table trace-compares; do
    coverage+=" -Cllvm-args=-sanitizer-coverage-$option"
  done
  RUSTFLAGS=$coverage CARGO_INCREMENTAL=0 cargo build --quiet --manifest-path fuzz/Cargo.toml \
    --target-dir target/fuzz --target "$triple" --profile campaign --bins
}

run() {
  local name=$1 amount=${2:-60s} longest seeds limit corpus status found
  read -r longest seeds <<<"$(row "$name")"
  found=target/fuzz/found/$name
  mkdir -p "$found" "fuzz/corpus/$name"
  case $amount in
    # A campaign goes on from what those before it found.
    *s) limit=-max_total_time=${amount%s} corpus=target/fuzz/corpus/$name ;;
    *) limit="-runs=$amount -seed=1" corpus=target/fuzz/fresh/$name; rm -rf "$corpus" ;;
  esac
  mkdir -p "$corpus"
  local dictionary=fuzz/dictionaries/$name
  [ ! -f "$dictionary" ] || limit+=" -dict=$dictionary"
  # shellcheck disable=SC2086 — several words each
  "target/fuzz/$triple/campaign/$name" "$corpus" "fuzz/corpus/$name" $seeds $limit -max_len="$longest" -timeout=10 \
    -rss_limit_mb=2048 -artifact_prefix="$found/" -print_final_stats=1 2>"target/fuzz/$name.log" && status=0 || status=$?
  if [ "$status" != 0 ]; then
    tail -n 40 "target/fuzz/$name.log"
    local input
    input=$(find "$found" -type f -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
    [ -n "$input" ] || { echo "$name: no input was kept" >&2; return 1; }
    printf '%s: this input fails (%s):\n' "$name" "$input"
    cat -v "$input"
    printf '\nits bytes:\n'
    base64 "$input"
    return 1
  fi
  awk -v name="$name" '/stat::number_of_executed_units/ { runs = $2 } /stat::average_exec_per_sec/ { rate = $2 }
    / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
    END { printf "%s: %d executions, %d a second, %d edges covered\n", name, runs, rate, edges }' "target/fuzz/$name.log"
}

# Edges only, no counts of how often: few inputs, and short ones.
merge() {
  local longest seeds
  read -r longest seeds <<<"$(row "$1")"
  # shellcheck disable=SC2086 — several words
  "target/fuzz/$triple/campaign/$1" -set_cover_merge=1 -use_counters=0 -max_len=600 -artifact_prefix=target/fuzz/ "fuzz/corpus/$1" $seeds "target/fuzz/corpus/$1" \
    2>"target/fuzz/$1.log"
  echo "fuzz/corpus/$1 has $(find "fuzz/corpus/$1" -type f | wc -l) files"
}

[ $# -ge 1 ] || usage
what=$1
build
[ "$what" != build ] || exit 0
chosen=$what action=run
if [ "$what" = merge ]; then action=merge chosen=${2:-all}; shift; fi
if [ "$chosen" = all ]; then
  # One for each core.
  names | xargs -P "$(nproc)" -I NAME "$0" ${what/all/} NAME ${2:+"$2"}
  exit
fi
[ -n "$(row "$chosen")" ] || { echo "there is no target $chosen; there are $(names | xargs)" >&2; exit 2; }
"$action" "$chosen" "${2:-}"

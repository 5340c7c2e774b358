# Sourced by the scripts beside it: the root of the clone, the tools they need, and clear words when one is missing.
# shellcheck shell=bash disable=SC2034

SF_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SF_MIN_JDK=22
SF_HEADER=ffi-bindings/src/main/c/streamfusion.h

sf_die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Feature release of the JDK in a folder; nothing when it holds none.
sf_jdk_version() {
  [ -x "$1/bin/javac" ] || return 0
  "$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

# Folders in which JDKs are usually installed.
sf_jdk_folders() {
  local d java
  for d in /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* "${HOME:-/nowhere}"/.sdkman/candidates/java/* \
    "${HOME:-/nowhere}"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    [ -d "$d" ] && printf '%s\n' "$d"
  done
  java=$(command -v java || true)
  [ -z "$java" ] || (cd "$(dirname "$(readlink -f "$java")")/.." && pwd)
}

# Exports JAVA_HOME and PATH of a JDK that is new enough: JAVA_HOME if it is, else the newest one found.
sf_find_jdk() {
  local version folder best=0 best_home='' seen=''
  version=$(sf_jdk_version "${JAVA_HOME:-/nowhere}")
  if [ "${version:-0}" -ge "$SF_MIN_JDK" ]; then
    best=$version best_home=$JAVA_HOME
  else
    [ -z "${JAVA_HOME:-}" ] || seen="JAVA_HOME=$JAVA_HOME (${version:+Java $version}${version:-no JDK}) "
    while IFS= read -r folder; do
      version=$(sf_jdk_version "$folder")
      [ -n "$version" ] || continue
      case $seen in *"$folder "*) ;; *) seen+="$folder (Java $version) " ;; esac
      if [ "$version" -gt "$best" ]; then best=$version best_home=$folder; fi
    done < <(sf_jdk_folders)
  fi
  [ "$best" -ge "$SF_MIN_JDK" ] ||
    sf_die "needs JDK $SF_MIN_JDK or newer; found: ${seen:-none}. Install one or set JAVA_HOME."
  export JAVA_HOME=$best_home PATH="$best_home/bin:$PATH"
  SF_JDK=$best
}

# Is the dotted version $1 at least $2?
sf_at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

sf_need_cargo() {
  local need found
  need=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$SF_ROOT/native/Cargo.toml")
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    sf_die "needs Rust $need or newer (cargo and rustc); found none on PATH."
  fi
  found=$(rustc --version | cut -d' ' -f2)
  sf_at_least "$found" "$need" || sf_die "needs Rust $need or newer; found $found ($(command -v rustc))."
  command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
    sf_die "needs a C compiler and linker (cc) for the Rust build; found none on PATH. On Debian: apt-get install gcc libc6-dev."
}

sf_need_mvn() {
  command -v mvn >/dev/null || sf_die "needs Maven 3.6.3 or newer (mvn); found none on PATH. On Debian: apt-get install maven."
}

# Maven on the whole project, with the JDK found by sf_find_jdk.
sf_mvn() {
  (cd "$SF_ROOT" && mvn -B -ntp "$@")
}

# Builds a release library and runs the benchmarks of the command $1 with the options that follow.
sf_bench() {
  sf_need_cargo
  sf_need_mvn
  sf_find_jdk
  # Not process-classes: state-paimon needs the test classes of state-native-memory.
  sf_mvn -q -Pbench -Dnative.profile=release -pl jmh -am test-compile
  cd "$SF_ROOT"
  # JMH and Flink's libraries use sun.misc.Unsafe, about which newer JDKs warn.
  local quiet=()
  [ "$SF_JDK" -lt 23 ] || quiet=(--sun-misc-unsafe-memory-access=allow)
  exec java "${quiet[@]}" -cp "jmh/target/classes:$(cat jmh/target/bench.classpath)" io.streamfusion.jmh.runner.BenchMain "$@"
}

# SHA-256 of a file, in hex.
sf_sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# The platform's name in resource folders: <os>-<arch>, as NativeLibrary spells it.
sf_platform() {
  local os arch
  case $(uname -s) in
    Linux) os=linux ;; Darwin) os=macos ;;
    *) sf_die "no native library is built for $(uname -s); Linux and macOS are supported." ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x86_64 ;; aarch64 | arm64) arch=aarch64 ;;
    *) sf_die "no native library is built for $(uname -m); x86_64 and aarch64 are supported." ;;
  esac
  printf '%s-%s\n' "$os" "$arch"
}

# Writes the C header of the ffi crate under the root $1 to the file $2. The tool is built once.
sf_write_header() {
  (cd "$SF_ROOT/build/abi-header" &&
    CARGO_TARGET_DIR=$SF_ROOT/target/abi-header cargo run -q --locked -- "$1/native/crates/ffi" "$2")
}

#!/bin/sh
# install-runner VERSION URL SHA256 DIRECTORY OWNER
#
# Fetches, checks and unpacks one version of the runner software, then marks what is installed. Whatever interrupts it,
# the next run starts over. A server that cannot be reached is tried again for DOWNLOAD_PATIENCE seconds, so that an
# outage does not replace one instance after the other; a wrong checksum or a release that does not exist fails at once.
set -eu
version=$1 url=$2 checksum=$3 directory=$4 owner=$5
patience=${DOWNLOAD_PATIENCE:-900}
archive=$(mktemp "${TMPDIR:-/var/tmp}/actions-runner.XXXXXX")
trap 'rm -f "$archive"' EXIT

fetch() {
  deadline=$(($(date +%s) + patience))
  pause=5
  until status=$(curl --silent --show-error --fail --location --connect-timeout 20 --max-time 600 \
    --write-out '%{http_code}' --output "$archive" "$url"); do
    case $status in 4*) [ "$status" = 408 ] || [ "$status" = 429 ] || return 1 ;; esac
    [ $(($(date +%s) + pause)) -lt "$deadline" ] || return 1
    sleep "$pause"
    pause=$((pause < 60 ? pause * 2 : 60))
  done
}

fetch || {
  echo "$url cannot be fetched" >&2
  exit 1
}
found=$(sha256sum "$archive" | cut -d' ' -f1)
if [ "$found" != "$checksum" ]; then
  echo "$url has the SHA-256 $found, expected is $checksum" >&2
  exit 1
fi
tar --extract --gzip --no-same-owner --file "$archive" --directory "$directory"
chown -R "$owner" "$directory"
printf '%s %s\n' "$version" "$checksum" >"$directory/.installed"
chown "$owner" "$directory/.installed"

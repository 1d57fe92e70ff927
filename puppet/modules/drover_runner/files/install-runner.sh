#!/bin/sh
# install-runner VERSION URL SHA256 DIRECTORY USER MARKER
#
# Fetches, checks and unpacks one version of the runner software, then marks what is installed. Whatever interrupts it,
# the next run starts over. A server that cannot be reached is tried again for DOWNLOAD_PATIENCE seconds, so that an
# outage does not replace one instance after the other; a wrong checksum or a release that does not exist fails at once.
#
# The software belongs to root. USER, who runs the jobs, may create files in DIRECTORY (config.sh writes its own there),
# but the sticky bit keeps him from renaming or replacing what is root's. So root never unpacks into DIRECTORY: the tree is
# made in a folder beside it, which only root can write to, and takes its place as a whole.
set -eu
version=$1 url=$2 checksum=$3 directory=$4 user=$5 marker=$6
old=
patience=${DOWNLOAD_PATIENCE:-900}
archive=$(mktemp "${TMPDIR:-/var/tmp}/actions-runner.XXXXXX")
tree=$(mktemp -d "$directory.XXXXXX")
trap 'rm -rf "$archive" "$tree" ${old:+"$old"}' EXIT

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
umask 022
tar --extract --gzip --no-same-owner --no-same-permissions --file "$archive" --directory "$tree"
# Another version before this one: what belongs to the user moves over, by name and without following links.
if [ -d "$directory" ]; then
  old=$(mktemp -d "$directory.XXXXXX")
  mv -T "$directory" "$old"
  for name in .runner .runner_migrated .credentials .credentials_migrated .credentials_rsaparams .env .path _work _diag; do
    if [ -e "$old/$name" ] || [ -L "$old/$name" ]; then mv -T "$old/$name" "$tree/$name"; fi
  done
fi
for name in _work _diag; do
  if ! [ -e "$tree/$name" ] && ! [ -L "$tree/$name" ]; then install -d -o "$user" -g "$user" "$tree/$name"; fi
done
# From here on the user can write to it.
chgrp "$user" "$tree"
chmod 1775 "$tree"
mv -T "$tree" "$directory"
printf '%s %s\n' "$version" "$checksum" >"$marker"

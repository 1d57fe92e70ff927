#!/bin/sh
# grow-data-volume [check]: the file system of the volume for data fills its disk, which may have grown while it is mounted and used.
# `check` only tells by its exit code whether it does. Volumes grow by whole GiB; what is less is left by the layout of the file system.
set -eu
device=$(blkid --label drover-data)

if [ "${1:-}" = check ]; then
  header=$(dumpe2fs -h "$device" 2>/dev/null)
  field() { printf '%s\n' "$header" | sed -n "s/^$1: *//p"; }
  used=$(($(field 'Block count') * $(field 'Block size')))
  [ $(($(blockdev --getsize64 "$device") - used)) -lt 1073741824 ]
else
  resize2fs "$device"
fi

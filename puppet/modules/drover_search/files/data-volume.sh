#!/bin/sh
# data-volume DIRECTORY: mounts the volume for data there, now and at each boot. The one disk with nothing on it gets a file system
# with our label first. Devices are found by what is on them: their names differ between instance types.
set -eu
directory=$1 label=drover-data fstab=${FSTAB:-/etc/fstab}

# Whole disks without partitions and without any signature; disks of the instance itself lose their data when it stops.
free() {
  lsblk --nodeps --noheadings --output NAME,TYPE,MODEL | while read -r name type model; do
    [ "$type" = disk ] || continue
    case $model in *'Instance Storage'*) continue ;; esac
    [ "$(lsblk --noheadings --output NAME "/dev/$name" | wc -l)" -eq 1 ] || continue
    if [ -z "$(blkid --probe "/dev/$name" || true)" ]; then echo "/dev/$name"; fi
  done
}

if ! blkid --label "$label" >/dev/null; then
  disks=$(free)
  if [ "$(printf '%s' "$disks" | grep -c .)" -ne 1 ]; then
    echo "one empty disk is expected for $directory, found: ${disks:-none}" >&2
    exit 1
  fi
  mkfs.ext4 -q -L "$label" "$disks"
fi
mkdir -p "$directory"
grep -q "^LABEL=$label " "$fstab" || echo "LABEL=$label $directory ext4 defaults,nofail 0 2" >>"$fstab"
mount "$directory"
# Elasticsearch has no right to read it.
rmdir "$directory/lost+found" 2>/dev/null || true

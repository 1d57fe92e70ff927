#!/bin/sh
# remove-plugins HOME check|remove NAME...: plugins other than these go. Elasticsearch, if it runs, keeps what it has loaded.
set -eu
home=$1 act=$2
shift 2
wanted=" $* "
for folder in "$home"/plugins/*/; do
  [ -d "$folder" ] || continue
  name=$(basename "$folder")
  case $wanted in *" $name "*) continue ;; esac
  [ "$act" = remove ] || exit 1
  "$home/bin/elasticsearch-plugin" remove --purge "$name"
done

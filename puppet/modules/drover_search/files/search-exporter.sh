#!/bin/sh
# The exporter of Elasticsearch's metrics, with the flags that the installed version knows: between versions the
# collectors were renamed, and an unknown flag keeps the program from starting.
exporter=${SEARCH_EXPORTER:-/usr/bin/prometheus-elasticsearch-exporter}
known=$("$exporter" --help 2>&1)
set -- --web.listen-address=:9114 --es.uri=http://127.0.0.1:9200
add() {
  for flag; do
    case $known in *"$flag "*) flags="$flags $flag" && return ;; esac
  done
}
flags=
add --es.indices
add --es.shards
add --collector.slm --es.slm
add --collector.snapshots --es.snapshots
# shellcheck disable=SC2086 # words of our own
exec "$exporter" "$@" $flags

#!/bin/sh
# search-exporter master|data: the exporter of Elasticsearch's metrics, with the flags that the installed version knows:
# between versions the collectors were renamed, and an unknown flag keeps the program from starting.
#
# What each node says of itself is always on. Indices, shards and SLM are the same for the whole cluster, so only masters read
# them. Snapshots nobody reads: that collector fetches the metadata of every snapshot from S3 at each scrape.
kind=$1
exporter=${SEARCH_EXPORTER:-/usr/bin/prometheus-elasticsearch-exporter}
known=" $("$exporter" --help 2>&1 | tr -s '[:space:]' ' ') "
set -- --web.listen-address=:9114 --es.uri=http://127.0.0.1:9200 --es.timeout=20s
add() {
  for flag; do
    # Builds with a newer parser of flags write --[no-]es.indices.
    case $known in *" $flag "* | *" --[no-]${flag#--} "*) flags="$flags $flag" && return ;; esac
  done
}
flags=
if [ "$kind" = master ]; then
  add --es.indices
  add --es.shards
  # The statistics of SLM need a right to change policies, which a user of its own does not get.
  if [ "${ES_USERNAME:-elastic}" = elastic ]; then add --collector.slm --es.slm; fi
fi
# shellcheck disable=SC2086 # words of our own
exec "$exporter" "$@" $flags

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
# When the password is refused the exporter ends, and systemd starts it with the one that lets in now. The exporter takes
# the place of this shell, and with it its process id.
while_let_in() {
  while sleep 15 && kill -0 "$1"; do
    login=$(printf '%s:%s' "$ES_USERNAME" "$ES_PASSWORD" | sed 's/[\\"]/\\&/g')
    status=$(printf 'user = "%s"\n' "$login" | curl -s -K - -m 10 -o /dev/null -w '%{http_code}' http://127.0.0.1:9200/_security/_authenticate) || true
    if [ "$status" = 401 ]; then kill "$1" && return; fi
  done
}
if [ -n "${ES_PASSWORD:-}" ]; then while_let_in $$ >/dev/null 2>&1 & fi
# shellcheck disable=SC2086 # words of our own
exec "$exporter" "$@" $flags

#!/bin/sh
# install-plugin HOME NAME [URL]: the plugin of exactly the installed version; one of another version goes first.
set -eu
home=$1 name=$2
if [ -e "$home/plugins/$name" ]; then "$home/bin/elasticsearch-plugin" remove --purge "$name"; fi
exec "$home/bin/elasticsearch-plugin" install --batch "${3:-$name}"

#!/bin/sh
# install-plugin HOME NAME [URL]: the plugin of exactly the installed version; one of another version goes first. What was
# fetched before an upgrade is taken from there: a mirror that fails now would leave the node without any.
set -eu
home=$1 name=$2
version=$(dpkg-query --show --showformat='${Version}' elasticsearch 2>/dev/null || true)
zip=${PLUGIN_CACHE:-/var/cache/drover/plugins}/$name-$version.zip
if [ -s "$zip" ]; then from=file://$zip; else from=${3:-$name}; fi
if [ -e "$home/plugins/$name" ]; then "$home/bin/elasticsearch-plugin" remove --purge "$name"; fi
exec "$home/bin/elasticsearch-plugin" install --batch "$from"

#!/bin/sh
# store-secure-setting KEYSTORE COMMAND NAME check|store: the value of the secret, through pipes only. Elasticsearch reads what can be
# reloaded at: cluster-cli api POST /_nodes/reload_secure_settings; the rest at its next start.
set -eu
keystore=$1 command=$2 name=$3 act=$4
value=$("$command" node secret "$name")
if [ "$act" = check ]; then
  [ "$("$keystore" show "$name" 2>/dev/null)" = "$value" ]
  exit
fi
printf '%s' "$value" | "$keystore" add --stdin --force "$name"

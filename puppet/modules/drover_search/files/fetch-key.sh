#!/bin/sh
# fetch-key URL FINGERPRINT FILE: keeps the key only if it is the one that is expected.
set -eu
url=$1 fingerprint=$2 file=$3
key=$(mktemp)
trap 'rm -f "$key"' EXIT
curl --silent --show-error --fail --location --max-time 60 --output "$key" "$url"
found=$(gpg --batch --show-keys --with-colons "$key" | awk -F: '$1 == "fpr" { print $10; exit }')
if [ "$found" != "$fingerprint" ]; then
  echo "the key at $url has the fingerprint $found, expected is $fingerprint" >&2
  exit 1
fi
install -D --mode=0644 "$key" "$file"

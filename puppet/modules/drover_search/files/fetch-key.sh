#!/bin/sh
# fetch-key URL FINGERPRINT FILE check|fetch: keeps the key only if it is the one that is expected.
#
# A key may be renewed under its fingerprint: the one that is there is not good for long when it expires within a month.
# It is fetched again then, once a day until the renewed one is published: a run that fetches counts as a change, and a
# roll waits for runs without one. What cannot be fetched changes nothing while the key that is there is the expected
# one: only an installation would miss a newer one.
set -eu
url=$1 fingerprint=$2 file=$3 act=$4
# Seconds before its end from which a key is fetched again.
renew=2592000

fingerprint_of() {
  gpg --batch --show-keys --with-colons "$1" 2>/dev/null | awk -F: '$1 == "fpr" { print $10; exit }'
}

# Whether the key, or one of its subkeys, may sign (s) for longer than that.
lasts() {
  gpg --batch --show-keys --with-colons "$1" 2>/dev/null | awk -F: -v until="$(($(date +%s) + renew))" '
    ($1 == "pub" || $1 == "sub") && ($7 == "" || $7 > until) { if ($12 ~ /s/) signs = 1; if ($1 == "pub") holds = 1 }
    END { exit !(signs && holds) }'
}

tried_today() { [ -n "$(find "$file" -mtime -1)" ]; }

is_expected() { [ -f "$file" ] && [ "$(fingerprint_of "$file")" = "$fingerprint" ]; }

if [ "$act" = check ]; then
  is_expected && { lasts "$file" || tried_today; }
  exit
fi

key=$(mktemp)
trap 'rm -f "$key"' EXIT
give_up() {
  echo "$1" >&2
  is_expected || exit 1
  touch "$file"
  exit 0
}
curl --silent --show-error --fail --location --max-time 60 --output "$key" "$url" || give_up "the key at $url could not be fetched"
found=$(fingerprint_of "$key")
[ "$found" = "$fingerprint" ] || give_up "the key at $url has the fingerprint $found, expected is $fingerprint"
install -D --mode=0644 "$key" "$file"

#!/bin/sh
# exporter-password FILE COMMAND check|write [USER FACT]: who the exporter logs in as, as systemd reads it (systemd.exec(5),
# EnvironmentFile=). Only root can read the file.
set -eu
file=$1 command=$2 act=$3 user=${4:-elastic}

# While a password is replaced the pending version may be the one that works. A node that does not answer takes the current.
lets_in() {
  login=$(printf '%s:%s' "$user" "$1" | sed 's/[\\"]/\\&/g')
  [ "$(printf 'user = "%s"\n' "$login" | curl -s -K - -m 10 -o /dev/null -w '%{http_code}' "${ELASTICSEARCH:-http://127.0.0.1:9200}/_security/_authenticate")" != 401 ]
}
fact=${5:-elastic_secret}
password=$("$command" node secret "$fact")
if ! lets_in "$password"; then
  for stage in AWSPENDING AWSPREVIOUS; do
    other=$("$command" node secret --stage "$stage" "$fact" 2>/dev/null) || continue
    if lets_in "$other"; then password=$other && break; fi
  done
fi
wanted=$(printf 'ES_USERNAME=%s\nES_PASSWORD="%s"' "$user" "$(printf '%s' "$password" | sed 's/[\\"$`]/\\&/g')")
if [ "$act" = check ]; then
  [ -e "$file" ] && [ "$(stat -c %a "$file")" = 600 ] && [ "$(cat "$file")" = "$wanted" ]
  exit
fi
umask 077
printf '%s\n' "$wanted" >"$file.new"
chmod 0600 "$file.new"
mv "$file.new" "$file"

#!/bin/sh
# exporter-password FILE COMMAND check|write [USER FACT]: who the exporter logs in as, as systemd reads it (systemd.exec(5),
# EnvironmentFile=). Only root can read the file.
set -eu
file=$1 command=$2 act=$3 user=${4:-elastic}
password=$("$command" node secret "${5:-elastic_secret}")
wanted=$(printf 'ES_USERNAME=%s\nES_PASSWORD="%s"' "$user" "$(printf '%s' "$password" | sed 's/[\\"$`]/\\&/g')")
if [ "$act" = check ]; then
  [ -e "$file" ] && [ "$(stat -c %a "$file")" = 600 ] && [ "$(cat "$file")" = "$wanted" ]
  exit
fi
umask 077
printf '%s\n' "$wanted" >"$file.new"
chmod 0600 "$file.new"
mv "$file.new" "$file"

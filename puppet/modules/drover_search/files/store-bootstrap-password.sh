#!/bin/sh
# store-bootstrap-password KEYSTORE COMMAND
#
# The password goes through a pipe: it is in no argument and no file. What the package's own security set-up left in the
# keystore belongs to settings that are not used here, and a second password beside ours.
set -eu
keystore=$1 command=$2
password=$("$command" node secret elastic_secret)
listed=$("$keystore" list 2>/dev/null || true)
# All at once: each run of the tool starts a Java process, which takes seconds on a small instance.
set --
for name in autoconfiguration.password_hash xpack.security.http.ssl.keystore.secure_password \
  xpack.security.transport.ssl.keystore.secure_password xpack.security.transport.ssl.truststore.secure_password; do
  if printf '%s\n' "$listed" | grep -qx "$name"; then set -- "$@" "$name"; fi
done
[ $# -eq 0 ] || "$keystore" remove "$@"
[ -n "$listed" ] || "$keystore" create
printf '%s' "$password" | "$keystore" add --stdin --force bootstrap.password

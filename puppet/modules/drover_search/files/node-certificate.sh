#!/bin/sh
# node-certificate DIRECTORY HOST ADDRESS USER GROUP COMMAND DAYS check|make
#
# The secret of the certificate authority may hold several certificates: all are trusted, and the first one signs. So an
# authority is replaced without a moment in which nodes distrust each other: add the new one at the end; when every node
# has it, put it first together with its key; when every node has a new certificate, leave the old one out.
set -eu
directory=$1 host=$2 address=$3 user=$4 group=$5 command=$6 days=$7 act=$8
# Seconds before its end from which a certificate is made again: a day before the alarm.
renew=$((31 * 86400))
# One that lasts longer than this was made for more days than it should have now.
longest=$(((days + 1) * 86400))
work=$(mktemp -d "$directory/.new.XXXXXX")
trap 'rm -rf "$work"' EXIT
umask 077
"$command" node secret ca_certificate_secret >"$work/ca.crt"
openssl x509 -in "$work/ca.crt" -out "$work/signer.crt"

check() {
  cmp -s "$work/ca.crt" "$directory/ca.crt" || return 1
  openssl verify -CAfile "$work/signer.crt" "$directory/node.crt" >/dev/null 2>&1 || return 1
  openssl x509 -in "$directory/node.crt" -noout -checkend "$renew" >/dev/null || return 1
  if openssl x509 -in "$directory/node.crt" -noout -checkend "$longest" >/dev/null; then return 1; fi
  names=$(openssl x509 -in "$directory/node.crt" -noout -ext subjectAltName | tail -n 1 | tr -d ' ')
  [ "$names" = "DNS:$host,IPAddress:$address" ] || return 1
  [ "$(openssl x509 -in "$directory/node.crt" -noout -pubkey)" = "$(openssl pkey -in "$directory/node.key" -pubout)" ]
}

if [ "$act" = check ]; then
  check
  exit
fi

cat >"$work/extensions" <<EOF
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:$host, IP:$address
EOF
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$work/node.key"
openssl req -new -key "$work/node.key" -subj "/CN=$host" -out "$work/node.csr"
# The authority's key is never a file: it comes through the pipe and is gone with it.
"$command" node secret ca_key_secret | openssl x509 -req -in "$work/node.csr" -CA "$work/signer.crt" -CAkey /dev/stdin \
  -set_serial "0x$(openssl rand -hex 16)" -days "$days" -sha256 -extfile "$work/extensions" -out "$work/node.crt"
openssl verify -CAfile "$work/signer.crt" "$work/node.crt"
for name in ca.crt node.key node.crt; do
  chmod 0600 "$work/$name"
  chown "$user:$group" "$work/$name"
  mv "$work/$name" "$directory/$name"
done

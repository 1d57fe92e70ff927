#!/bin/sh
# prepare.sh ROOT: what makes a root filesystem by mmdebstrap an image of the embedded cloud's machines.
set -eu
root=$1

# cloud-init speaks IMDSv2 only to a platform that it takes for AWS. It reads no DMI in a container and looks at the UUID of the
# hypervisor instead, in a folder of /sys that a container cannot have: the image has it elsewhere.
sed -i 's#/sys/hypervisor/uuid#/etc/hypervisor-uuid#' "$root/usr/lib/python3/dist-packages/cloudinit/sources/DataSourceEc2.py"
echo ec2e1916-9099-7caf-fd21-012345abcdef > "$root/etc/hypervisor-uuid"
# The network is there before the machine is.
cat > "$root/etc/cloud/cloud.cfg.d/99-machine.cfg" <<'CONFIG'
datasource_list: [Ec2]
datasource: {Ec2: {strict_id: false}}
network: {config: disabled}
locale: false
CONFIG
printf 'nameserver 169.254.169.253\n' > "$root/etc/resolv.conf"

# Nothing leads out: what a machine installs must be in its image.
rm -f "$root"/etc/apt/sources.list.d/*
: > "$root/etc/apt/sources.list"
for timer in apt-daily.timer apt-daily-upgrade.timer; do ln -sf /dev/null "$root/etc/systemd/system/$timer"; done

# As Ubuntu 24.04 has it: an upgrade of a library restarts what uses it, without a question.
printf "\$nrconf{restart} = 'a';\n" > "$root/etc/needrestart/conf.d/10-restart.conf"

# The key of the test's certificate authority is made at each start; its certificate comes with a layer above this one.
mkdir -p "$root/etc/systemd/system.conf.d"
printf '[Manager]\nDefaultEnvironment=NODE_EXTRA_CA_CERTS=/etc/ssl/test-authority.pem\n' > "$root/etc/systemd/system.conf.d/authority.conf"
echo 'NODE_EXTRA_CA_CERTS=/etc/ssl/test-authority.pem' >> "$root/etc/environment"

# Each machine has its own.
: > "$root/etc/machine-id"
rm -rf "$root/var/lib/apt/lists" "$root/var/cache/apt"
mkdir -p "$root/var/lib/apt/lists/partial" "$root/var/cache/apt/archives/partial"

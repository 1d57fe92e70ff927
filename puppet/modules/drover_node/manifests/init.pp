# What every instance of Drover has, whatever its role.
#
# @param root
#   Put before every path that is written, so that the whole tree can be applied to a scratch folder.
#   Paths inside files stay as they are.
# @param owner
#   Who owns what is not the role's own.
# @param group
#   Its group.
# @param manage_accounts
#   Whether users and groups are made.
# @param manage_packages
#   Whether packages are installed.
# @param manage_services
#   Whether units are loaded, started and enabled, and firewall rules are set. Off where there is no systemd.
# @param packages
#   The input `packages`. Cloud-init has tried to install them already; one that is missing fails here, by name.
# @param role_packages
#   What the role needs; the two lists may overlap.
# @param program_version
#   Version of the Debian packages `runner-agent` and `cluster-cli` that are installed instead of what came with the stack: the input
#   `programs_from_packages`.
# @param configure_every
#   How often the same configuration is applied again, as a systemd time span.
class drover_node (
  String $root = '',
  String[1] $owner = 'root',
  String[1] $group = 'root',
  Boolean $manage_accounts = true,
  Boolean $manage_packages = true,
  Boolean $manage_services = true,
  Array[String[1]] $packages = [$facts.dig('drover', 'packages')].flatten.filter |$name| { $name =~ String[1] },
  Array[String[1]] $role_packages = [],
  Optional[String[1]] $program_version = $facts.dig('drover', 'program_version'),
  String[1] $configure_every = '30min',
) {
  if $manage_packages {
    package { unique($role_packages + $packages): ensure => installed }
  }
  contain drover_node::timer
}

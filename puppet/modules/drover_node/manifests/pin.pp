# A package stays at this version, whoever runs apt: 1001 is above everything that a repository offers (apt_preferences(5)).
#
# @param version
#   The one that is installed.
define drover_node::pin (
  String[1] $version,
) {
  file { "/etc/apt/preferences.d/drover-${title}":
    content => "# Written by Puppet.\nPackage: ${title}\nPin: version ${version}\nPin-Priority: 1001\n",
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
}

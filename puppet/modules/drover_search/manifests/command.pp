# `cluster-cli` on the path, where cron, units and operators find it, and the scripts of this module.
class drover_search::command {
  drover_node::program { 'cluster-cli': }
  file { ["${drover_node::root}/opt/drover", $drover_search::lib, "${drover_node::root}/etc/drover"]:
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  ['install-plugin', 'remove-plugins', 'store-bootstrap-password', 'node-certificate', 'exporter-password', 'search-exporter', 'logged-shell'].each |$name| {
    file { "${drover_search::lib}/${name}":
      source => "puppet:///modules/drover_search/${name}.sh",
      owner  => $drover_node::owner,
      group  => $drover_node::group,
      mode   => '0755',
    }
  }
}

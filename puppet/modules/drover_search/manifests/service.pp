# The unit of the package, with what is ours in a drop-in.
class drover_search::service {
  file { "${drover_node::root}/etc/systemd/system/elasticsearch.service.d":
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  drover_node::unit { 'elasticsearch.service.d/drover.conf':
    content => epp('drover_search/elasticsearch-override.epp', {
        'memory_lock' => $drover_search::memory_lock,
        'data_volume' => $drover_search::data_volume,
    }),
  }
  if $drover_node::manage_services {
    service { 'elasticsearch':
      ensure  => running,
      enable  => true,
      require => Drover_node::Unit['elasticsearch.service.d/drover.conf'],
    }
  }
}

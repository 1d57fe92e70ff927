# Metrics of the host on 9100 and of Elasticsearch on 9114. The second logs in over loopback; its password is in a file
# that only root reads, and systemd passes it on.
class drover_search::exporters {
  $root = $drover_node::root
  $password = '/etc/drover/search-exporter.env'
  $unit = 'prometheus-elasticsearch-exporter'
  $login = $drover_search::exporter_user ? {
    'elastic' => [],
    default   => [$drover_search::exporter_user, 'exporter_secret'],
  }
  $write = ["${drover_search::lib}/exporter-password", "${root}${password}", $drover_search::command]

  file { "${root}/etc/default/prometheus-node-exporter":
    content => epp('drover_search/node-exporter.default.epp'),
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
  file { "${root}/etc/systemd/system/${unit}.service.d":
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  drover_node::unit { "${unit}.service.d/drover.conf":
    content => epp('drover_search/search-exporter-override.epp', {
        'password'  => $password,
        'is_master' => $drover_search::is_master,
        'write'     => join(['/opt/drover/lib/exporter-password', $password, '/opt/drover/bin/cluster-cli', 'write'] + $login, ' '),
    }),
  }
  exec { 'write the password of the exporter':
    command => shellquote($write + ['write'] + $login),
    # Somebody may have changed it since.
    unless  => shellquote($write + ['check'] + $login),
    path    => '/usr/sbin:/usr/bin:/sbin:/bin',
    timeout => 120,
  }
  if $drover_node::manage_services {
    service { 'prometheus-node-exporter':
      ensure    => running,
      enable    => true,
      subscribe => File["${root}/etc/default/prometheus-node-exporter"],
    }
    service { $unit:
      ensure    => running,
      enable    => true,
      subscribe => [Drover_node::Unit["${unit}.service.d/drover.conf"], Exec['write the password of the exporter']],
    }
  }
}

# What the services have to know of the network: the proxy, and which certificates are trusted. Empty without the inputs.
class drover_runner::network {
  $lines = $drover_runner::variables ? {
    undef   => [],
    default => $drover_runner::variables.map |$name, $value| { "${name}=${value}\n" },
  }

  file { "${drover_node::root}/etc/drover":
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  file { "${drover_node::root}/etc/drover/environment":
    content => $lines.join(''),
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
  if $drover_runner::docker {
    file { "${drover_node::root}/etc/systemd/system/docker.service.d":
      ensure => directory,
      owner  => $drover_node::owner,
      group  => $drover_node::group,
      mode   => '0755',
    }
    drover_node::unit { 'docker.service.d/drover.conf':
      content => "# Written by Puppet.\n[Service]\nEnvironmentFile=-/etc/drover/environment\n",
    }
  }
}

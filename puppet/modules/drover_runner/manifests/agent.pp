# The agent: its configuration, its name on the path (remote commands use it), its unit.
class drover_runner::agent {
  $where = {
    'runner_directory' => $drover_runner::directory,
    'runner_user'      => $drover_runner::user,
    'runner_version'   => $drover_runner::version,
  }

  file { "${drover_node::root}/etc/runner-agent":
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  file { "${drover_node::root}/etc/runner-agent/config.json":
    content => drover_node::to_json($drover_runner::config + $where),
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
  drover_node::program { 'runner-agent': }
  drover_node::unit { 'runner-agent.service':
    content => epp('drover_runner/runner-agent.service.epp'),
    running => true,
    enabled => true,
  }
  if $drover_node::manage_services {
    Drover_node::Program['runner-agent'] -> Service['runner-agent.service']
    File["${drover_node::root}/etc/runner-agent/config.json"] ~> Service['runner-agent.service']
  }
}

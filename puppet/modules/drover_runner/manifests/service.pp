# The unit `actions-runner`. Puppet neither starts nor enables it: the agent does when the group says InService.
class drover_runner::service {
  $hooks = '/opt/drover/hooks'

  file { "${drover_node::root}${hooks}":
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  ['job-started.sh', 'job-completed.sh'].each |$hook| {
    file { "${drover_node::root}${hooks}/${hook}":
      source => "puppet:///modules/drover_runner/${hook}",
      owner  => $drover_node::owner,
      group  => $drover_node::group,
      mode   => '0755',
    }
  }
  drover_node::unit { 'actions-runner.service':
    content => epp('drover_runner/actions-runner.service.epp', {
      'user'      => $drover_runner::user,
      'directory' => $drover_runner::directory,
      'hooks'     => $hooks,
      'rules'     => $drover_runner::firewall::rules,
      'after'     => $drover_runner::docker ? { true => ' docker.service', default => '' },
    }),
  }
}

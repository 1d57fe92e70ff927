# What the inputs `docker` and `passwordless_sudo` give to jobs. Either lets a job become root, and so use the instance's
# role: synthesis and `drover fleet doctor` say so.
class drover_runner::privileges {
  $sudo_rule = $drover_runner::passwordless_sudo ? { true => 'file', default => 'absent' }
  $wanted = {
    $drover_runner::docker_package => $drover_runner::docker,
    'sudo'                         => $drover_runner::passwordless_sudo,
  }

  if $drover_node::manage_packages {
    # The input `packages` may name them too.
    $wanted.filter |$name, $on| { $on and !defined(Package[$name]) }.each |$name, $_on| {
      package { $name:
        ensure => installed,
        before => File["${drover_node::root}/etc/sudoers.d/drover-runner"],
      }
    }
  }
  file { "${drover_node::root}/etc/sudoers.d/drover-runner":
    ensure       => $sudo_rule,
    content      => "${drover_runner::user} ALL=(ALL:ALL) NOPASSWD: ALL\n",
    owner        => $drover_node::owner,
    group        => $drover_node::group,
    mode         => '0440',
    # A rule that sudo cannot read would lock everybody out of it.
    validate_cmd => "${drover_runner::visudo} -cf %",
  }
  if $drover_runner::docker and $drover_runner::docker_registry_mirror {
    file { "${drover_node::root}/etc/docker":
      ensure => directory,
      owner  => $drover_node::owner,
      group  => $drover_node::group,
      mode   => '0755',
    }
    file { "${drover_node::root}/etc/docker/daemon.json":
      content => drover_node::to_json({ 'registry-mirrors' => [$drover_runner::docker_registry_mirror] }),
      owner   => $drover_node::owner,
      group   => $drover_node::group,
      mode    => '0644',
    }
    if $drover_node::manage_services {
      File["${drover_node::root}/etc/docker/daemon.json"] ~> Service['docker']
    }
  }
  if $drover_runner::docker and $drover_node::manage_services {
    service { 'docker':
      ensure  => running,
      enable  => true,
      # A restart would end the containers of jobs; mirrors are among what dockerd reads again.
      restart => '/usr/bin/systemctl reload docker',
    }
  }
}

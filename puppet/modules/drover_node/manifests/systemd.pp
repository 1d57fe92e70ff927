# One reload for all units that change in a run.
class drover_node::systemd {
  if $drover_node::manage_services {
    exec { 'load changed units':
      command     => '/bin/systemctl daemon-reload',
      refreshonly => true,
    }
  }
}

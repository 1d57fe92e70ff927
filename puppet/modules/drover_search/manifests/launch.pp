# After the boot run: the node is commissioned, which completes the launch hook; then masters settle what belongs to the
# whole cluster, at once and by a timer. Commissioning may take two days, so nothing here waits for it.
class drover_search::launch {
  drover_node::unit { 'drover-commission.service':
    content => epp('drover_search/drover-commission.service.epp', { 'is_master' => $drover_search::is_master }),
  }
  if $drover_search::is_master {
    drover_node::unit { 'drover-settle.service':
      content => epp('drover_search/drover-settle.service.epp'),
    }
    drover_node::unit { 'drover-settle.timer':
      content => epp('drover_search/drover-settle.timer.epp'),
      running => true,
      enabled => true,
    }
  }
  if $drover_node::manage_services {
    exec { 'begin to commission the node':
      command  => '/bin/systemctl enable --now --no-block drover-commission.service',
      unless   => '/bin/systemctl show --property=ActiveState drover-commission.service | grep -qxE "ActiveState=(active|activating)"',
      provider => shell,
      require  => Drover_node::Unit['drover-commission.service'],
    }
  }
}

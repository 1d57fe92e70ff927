# Applies the same configuration again and again, and keeps its log short. The distribution's own agent, which asks
# a Puppet server, stays off.
class drover_node::timer {
  drover_node::unit { 'drover-configure.service':
    content => epp('drover_node/drover-configure.service.epp'),
  }
  drover_node::unit { 'drover-configure.timer':
    content => epp('drover_node/drover-configure.timer.epp', { 'every' => $drover_node::configure_every }),
    running => true,
    enabled => true,
  }
  file { "${drover_node::root}/etc/logrotate.d/drover":
    content => epp('drover_node/logrotate.epp'),
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
  if $drover_node::manage_services {
    service { 'puppet':
      ensure => stopped,
      enable => false,
    }
  }
}

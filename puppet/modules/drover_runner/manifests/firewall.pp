# Only root (the agent, cloud-init, the remote command agent) may speak to the metadata service: a job that could
# would have the instance's role. Containers are refused by the chain `forward` and by the hop limit of 1.
class drover_runner::firewall {
  $rules = '/etc/drover/metadata-firewall.nft'

  file { "${drover_node::root}${rules}":
    content => epp('drover_runner/metadata-firewall.nft.epp', { 'users' => $drover_runner::metadata_users }),
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
  drover_node::unit { 'drover-metadata-firewall.service':
    content => epp('drover_runner/drover-metadata-firewall.service.epp', { 'rules' => $rules }),
    running => true,
    enabled => true,
  }
  file { "${drover_node::root}/etc/systemd/system/nftables.service.d":
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  drover_node::unit { 'nftables.service.d/drover.conf':
    content => epp('drover_runner/nftables-drop-in.epp', { 'rules' => $rules }),
  }
  if $drover_node::manage_services {
    File["${drover_node::root}${rules}"] ~> Service['drover-metadata-firewall.service']
    # Somebody may have emptied the rule set since.
    exec { 'restore the metadata firewall':
      command => "/usr/sbin/nft --file ${rules}",
      unless  => '/usr/sbin/nft list table inet drover_metadata',
      require => Service['drover-metadata-firewall.service'],
    }
  }
}

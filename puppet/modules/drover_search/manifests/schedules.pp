# What cron runs every five minutes: the drain of a node that is terminating, and on masters the clearing up.
class drover_search::schedules {
  file { "${drover_node::root}/etc/cron.d/drover-search":
    content => epp('drover_search/cron.epp', { 'is_master' => $drover_search::is_master }),
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
}

# The files of Elasticsearch. None of them restarts it: all nodes apply this within the same minutes. What needs another
# start gets it from `drover cluster roll`, one node after the other.
class drover_search::config {
  $roles = $drover_search::node_roles ? {
    undef   => $drover_search::is_master ? {
      true    => ['master', 'remote_cluster_client'],
      default => ['data', 'ingest', 'remote_cluster_client', 'transform'],
    },
    default => $drover_search::node_roles,
  }
  $half_mb = $drover_search::memory_mb / 2
  $heap_mb = $drover_search::heap_max_gib ? {
    'none'  => $half_mb,
    # Puppet 5 has no function min.
    default => [$half_mb, $drover_search::heap_max_gib * 1024].reduce |$least, $each| { if $each < $least { $each } else { $least } },
  }
  $files = {
    'elasticsearch.yml'          => epp('drover_search/elasticsearch.yml.epp', {
        'cluster_name'         => $drover_search::cluster_name,
        'environment_name'     => $drover_search::environment_name,
        'host_name'            => $drover_search::host_name,
        'roles'                => $roles,
        'zone'                 => $drover_search::zone,
        'region'               => $drover_search::region,
        'memory_lock'          => $drover_search::memory_lock,
        'settings'             => $drover_search::settings,
        'initial_masters'      => $drover_search::is_master ? { true => $drover_search::initial_masters, default => [] },
        'anonymous_monitoring' => $drover_search::anonymous_monitoring,
        'forced_zones'         => $drover_search::forced_zones,
    }),
    'jvm.options.d/heap.options' => epp('drover_search/heap.options.epp', { 'heap_mb' => $heap_mb }),
    'roles.yml'                  => epp('drover_search/roles.yml.epp', { 'own_exporter' => $drover_search::exporter_user != 'elastic' }),
  }

  file { "${drover_search::config}/jvm.options.d":
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_search::group,
    mode   => '0750',
  }
  $files.each |$name, $content| {
    file { "${drover_search::config}/${name}":
      content => $content,
      owner   => $drover_node::owner,
      group   => $drover_search::group,
      mode    => '0640',
    }
  }
}

# A search node: Elasticsearch with its certificate, the two exporters, and the schedules of `cluster-cli`. What belongs
# to the whole cluster is no part of a boot run: a timer on the masters takes care of it, once the node is commissioned.
#
# @param role
#   `search_master`, or `search_` with the name of a group of data nodes.
# @param cluster_name
#   Name of the cluster, also the tag `cluster` by which nodes find each other.
# @param environment_name
#   The tag `environment` by which nodes find each other.
# @param version
#   Version of Elasticsearch.
# @param memory_lock
#   Whether the heap is locked into memory.
# @param region
#   Where the instance runs.
# @param host_name
#   Name of the node.
# @param private_ip
#   Address of the instance.
# @param zone
#   Availability zone, the node attribute `zone`.
# @param memory_mb
#   Memory of the instance; half of it is heap.
# @param heap_max_gib
#   The largest heap in GiB, or `none`. Above about 30 GiB the JVM cannot compress pointers any more.
# @param initial_masters
#   Names of the masters that form the cluster; none once it has formed, and on data nodes.
# @param forced_zones
#   Zones among which copies are counted also while one is lost; none: awareness is not forced. The elected master's count.
# @param data_volume
#   Whether the data is on the instance's second volume.
# @param settings
#   Settings for elasticsearch.yml beside those of the module.
# @param plugins
#   Plugins beside discovery-ec2.
# @param keystore_secrets
#   Secure settings; `cluster-cli node secret NAME` prints the value of each.
# @param mirror
#   Address of what has packages, plugins and the key as artifacts.elastic.co has them.
# @param certificate_days
#   Days for which the node signs its own certificate.
# @param exporter_user
#   Who the exporter logs in as.
# @param anonymous_monitoring
#   Whether health and statistics can be read without a password.
# @param node_roles
#   Roles of the node, of the input `node_groups`. Default: by `role`.
# @param user
#   Who runs Elasticsearch.
# @param group
#   Its group.
# @param repository
#   Where the package comes from.
# @param repository_key
#   Address and fingerprint of the key that signs it.
class drover_search (
  Pattern[/\Asearch_[a-z][a-z0-9]*\z/] $role = $facts.dig('drover', 'role'),
  String[1] $cluster_name = $facts.dig('elasticsearch', 'cluster_name'),
  String[1] $environment_name = $facts.dig('elasticsearch', 'environment'),
  # An upgrade in place tells the node before the user data does.
  Pattern[/\A\d+\.\d+\.\d+\z/] $version = $facts.dig('search_node', 'version') ? {
    String[1] => $facts.dig('search_node', 'version'),
    default   => $facts.dig('elasticsearch', 'version'),
  },
  Boolean $memory_lock = $facts.dig('elasticsearch', 'memory_lock'),
  String[1] $region = $facts.dig('drover', 'region'),
  String[1] $host_name = $facts.dig('search_node', 'host_name'),
  String[1] $private_ip = $facts.dig('search_node', 'private_ip'),
  String[1] $zone = $facts.dig('search_node', 'zone'),
  Integer[512] $memory_mb = $facts.dig('search_node', 'memory_mb'),
  Variant[Integer[1], Enum['none']] $heap_max_gib = $facts.dig('elasticsearch', 'heap_max_gib'),
  # Facter makes an empty text of null.
  Array[String[1]] $initial_masters = [$facts.dig('search_node', 'initial_masters')].flatten.filter |$name| { $name =~ String[1] },
  Array[String[1]] $forced_zones = [$facts.dig('search_node', 'forced_zones')].flatten.filter |$name| { $name =~ String[1] },
  Boolean $data_volume = $facts.dig('elasticsearch', 'data_volume') == true,
  Hash[String[1], Any] $settings = $facts.dig('elasticsearch', 'settings') ? { Hash => $facts['elasticsearch']['settings'], default => {} },
  Array[String[1]] $plugins = [$facts.dig('elasticsearch', 'plugins')].flatten.filter |$name| { $name =~ String[1] },
  Hash[String[1], String[1]] $keystore_secrets = $facts.dig('elasticsearch', 'keystore_secrets') ? { Hash => $facts['elasticsearch']['keystore_secrets'], default => {} },
  String[1] $mirror = $facts.dig('elasticsearch', 'mirror') ? { String[1] => $facts['elasticsearch']['mirror'], default => 'https://artifacts.elastic.co' },
  Integer[62, 3650] $certificate_days = $facts.dig('elasticsearch', 'node_certificate_days') ? { Integer => $facts['elasticsearch']['node_certificate_days'], default => 3650 },
  String[1] $exporter_user = $facts.dig('elasticsearch', 'exporter_user') ? { String[1] => $facts['elasticsearch']['exporter_user'], default => 'elastic' },
  Boolean $anonymous_monitoring = $facts.dig('elasticsearch', 'anonymous_monitoring') != false,
  Optional[Array[String[1], 1]] $node_roles = $facts.dig('elasticsearch', 'node_roles'),
  String[1] $user = 'elasticsearch',
  String[1] $group = 'elasticsearch',
  String[1] $repository = "${mirror}/packages",
  Struct[{ url => String[1], fingerprint => Pattern[/\A[0-9A-F]{40}\z/] }] $repository_key = {
    url         => "${mirror}/GPG-KEY-elasticsearch",
    fingerprint => '46095ACC8548582C1A2699A9D27D666CD88E42B4',
  },
) {
  include drover_node
  $is_master = $role == 'search_master'
  # What is executed, and where files go when the tree is applied to a scratch folder.
  $home = "${drover_node::root}/usr/share/elasticsearch"
  $config = "${drover_node::root}/etc/elasticsearch"
  $lib = "${drover_node::root}/opt/drover/lib"
  $command = "${drover_node::root}/opt/drover/bin/cluster-cli"

  contain drover_search::command
  contain drover_search::volume
  contain drover_search::software
  contain drover_search::keystore
  contain drover_search::certificate
  contain drover_search::config
  contain drover_search::service
  contain drover_search::exporters
  contain drover_search::schedules
  contain drover_search::launch

  Class['drover_node'] -> Class['drover_search::command']
  -> Class['drover_search::volume']
  -> Class['drover_search::software']
  -> Class['drover_search::keystore']
  -> Class['drover_search::certificate']
  -> Class['drover_search::config']
  -> Class['drover_search::service']
  -> Class['drover_search::exporters']
  -> Class['drover_search::schedules']
  -> Class['drover_search::launch']
}

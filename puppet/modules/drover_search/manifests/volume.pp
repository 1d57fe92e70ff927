# The volume for data, mounted before the package of Elasticsearch makes what is in it. When the volume has grown, so does its file system.
class drover_search::volume {
  if $drover_search::data_volume {
    $directory = "${drover_node::root}/var/lib/elasticsearch"

    ['data-volume', 'grow-data-volume'].each |$script| {
      file { "${drover_search::lib}/${script}":
        source => "puppet:///modules/drover_search/${script}.sh",
        owner  => $drover_node::owner,
        group  => $drover_node::group,
        mode   => '0755',
      }
    }
    exec { 'mount the volume for data':
      command => shellquote("${drover_search::lib}/data-volume", $directory),
      unless  => shellquote('mountpoint', '--quiet', $directory),
      path    => '/usr/sbin:/usr/bin:/sbin:/bin',
      timeout => 600,
      require => File["${drover_search::lib}/data-volume"],
    }
    -> exec { 'grow the file system of the volume for data':
      command => shellquote("${drover_search::lib}/grow-data-volume"),
      unless  => shellquote("${drover_search::lib}/grow-data-volume", 'check'),
      path    => '/usr/sbin:/usr/bin:/sbin:/bin',
      timeout => 600,
      require => File["${drover_search::lib}/grow-data-volume"],
    }
  }
}

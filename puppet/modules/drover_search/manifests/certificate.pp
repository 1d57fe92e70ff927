# Key and certificate of the node, made here by openssl and signed by the cluster's authority, whose key is only passed
# through. Elasticsearch reads the files again by itself when they change.
class drover_search::certificate {
  $directory = "${drover_search::config}/tls"
  $make = [
    "${drover_search::lib}/node-certificate", $directory, $drover_search::host_name, $drover_search::private_ip,
    $drover_search::user, $drover_search::group, $drover_search::command, String($drover_search::certificate_days),
  ]

  file { $directory:
    ensure => directory,
    owner  => $drover_search::user,
    group  => $drover_search::group,
    mode   => '0700',
  }
  exec { 'make the certificate of the node':
    command => shellquote($make + ['make']),
    # As it should be: signed by the authority of the secret, with these names, and not about to expire.
    unless  => shellquote($make + ['check']),
    path    => '/usr/sbin:/usr/bin:/sbin:/bin',
    timeout => 120,
    require => File[$directory],
  }
}

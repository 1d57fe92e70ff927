# The password with which the first node of a cluster creates the superuser. It goes from the secret into the keystore
# without a file, an argument or a log.
class drover_search::keystore {
  $keystore = "${drover_search::home}/bin/elasticsearch-keystore"

  exec { 'store the bootstrap password':
    command  => shellquote("${drover_search::lib}/store-bootstrap-password", $keystore, $drover_search::command),
    unless   => "${shellquote($keystore)} list | grep -qx bootstrap.password",
    path     => '/usr/sbin:/usr/bin:/sbin:/bin',
    provider => shell,
    timeout  => 120,
  }
}

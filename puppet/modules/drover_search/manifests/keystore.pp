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
  }  unless $drover_search::keystore_secrets.empty {
    file { "${drover_search::lib}/store-secure-setting":
      source => 'puppet:///modules/drover_search/store-secure-setting.sh',
      owner  => $drover_node::owner,
      group  => $drover_node::group,
      mode   => '0755',
    }
  }
  $drover_search::keystore_secrets.keys.each |$name| {
    $store = ["${drover_search::lib}/store-secure-setting", $keystore, $drover_search::command, $name]
    exec { "store the secure setting ${name}":
      command => shellquote($store + ['store']),
      unless  => shellquote($store + ['check']),
      path    => '/usr/sbin:/usr/bin:/sbin:/bin',
      timeout => 120,
      require => [Exec['store the bootstrap password'], File["${drover_search::lib}/store-secure-setting"]],
    }
  }
}

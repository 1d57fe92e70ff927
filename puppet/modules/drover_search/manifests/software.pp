# Elasticsearch from its own repository or a mirror of it, the plugin with which nodes find each other and their own address, and others.
class drover_search::software {
  $root = $drover_node::root
  $key = '/usr/share/keyrings/elastic.asc'
  $fetch_key = ["${drover_search::lib}/fetch-key", $drover_search::repository_key['url'],
    $drover_search::repository_key['fingerprint'], $key]
  $major = split($drover_search::version, '[.]')[0]

  if $drover_node::manage_packages {
    exec { 'fetch the key of the repository':
      command   => shellquote($fetch_key + ['fetch']),
      # A renewed key has to arrive too: one that is there is good while it is the expected one and lasts.
      unless    => shellquote($fetch_key + ['check']),
      path      => '/usr/sbin:/usr/bin:/sbin:/bin',
      timeout   => 300,
      tries     => 3,
      try_sleep => 20,
      require   => File["${drover_search::lib}/fetch-key"],
    }
    file { "${drover_search::lib}/fetch-key":
      source => 'puppet:///modules/drover_search/fetch-key.sh',
      owner  => $drover_node::owner,
      group  => $drover_node::group,
      mode   => '0755',
    }
    file { '/etc/apt/sources.list.d/elastic.list':
      content => "deb [signed-by=${key}] ${drover_search::repository}/${major}.x/apt stable main\n",
      owner   => $drover_node::owner,
      group   => $drover_node::group,
      mode    => '0644',
      require => Exec['fetch the key of the repository'],
      notify  => Exec['read the repository'],
    }
    exec { 'read the repository':
      command     => 'apt-get -o DPkg::Lock::Timeout=300 update',
      path        => '/usr/sbin:/usr/bin:/sbin:/bin',
      refreshonly => true,
      timeout     => 300,
      tries       => 3,
      try_sleep   => 20,
    }
    package { 'elasticsearch':
      ensure  => $drover_search::version,
      require => Exec['read the repository'],
      before  => Exec['install the plugin discovery-ec2'],
    }
    # After the package: an upgrade names its version, and where that fails the installed one stays the pinned one.
    drover_node::pin { 'elasticsearch':
      version => $drover_search::version,
      require => Package['elasticsearch'],
    }
  }
  $wanted = ['discovery-ec2'] + $drover_search::plugins
  $remove = ["${drover_search::lib}/remove-plugins", $drover_search::home]
  exec { 'remove other plugins':
    command => shellquote($remove + ['remove'] + $wanted),
    unless  => shellquote($remove + ['check'] + $wanted),
    path    => '/usr/sbin:/usr/bin:/sbin:/bin',
    timeout => 300,
  }
  $wanted.each |$name| {
    # What the program fetches by itself comes from artifacts.elastic.co.
    $from = $drover_search::mirror ? {
      'https://artifacts.elastic.co' => [],
      default                        => ["${drover_search::mirror}/downloads/elasticsearch-plugins/${name}/${name}-${drover_search::version}.zip"],
    }
    exec { "install the plugin ${name}":
      command   => shellquote(["${drover_search::lib}/install-plugin", $drover_search::home, $name] + $from),
      # A plugin works with exactly the version for which it was made.
      unless    => shellquote('grep', '-qsx', "elasticsearch.version=${drover_search::version}",
        "${drover_search::home}/plugins/${name}/plugin-descriptor.properties"),
      path      => '/usr/sbin:/usr/bin:/sbin:/bin',
      timeout   => 300,
      tries     => 3,
      try_sleep => 20,
    }
  }
}

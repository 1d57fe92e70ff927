# A program of Drover, by its name on the path: what came with the stack, or the Debian package of the stack's version.
define drover_node::program {
  $bin = "${drover_node::root}/opt/drover/bin"

  if $drover_node::program_version =~ String[1] {
    file { $bin:
      ensure => directory,
      owner  => $drover_node::owner,
      group  => $drover_node::group,
      mode   => '0755',
    }
    # Units, job hooks and remote commands name the program by this path.
    file { "${bin}/${title}":
      ensure => link,
      target => "/usr/lib/drover/bin/${title}",
      owner  => $drover_node::owner,
      group  => $drover_node::group,
    }
    if $drover_node::manage_packages {
      # A version that was published since apt last asked.
      exec { "read the repositories for ${title}":
        command => 'apt-get -o DPkg::Lock::Timeout=300 update',
        unless  => shellquote('apt-cache', 'show', "${title}=${drover_node::program_version}"),
        path    => '/usr/sbin:/usr/bin:/sbin:/bin',
        timeout => 300,
      }
      package { $title:
        ensure  => $drover_node::program_version,
        require => Exec["read the repositories for ${title}"],
        before  => File["${bin}/${title}"],
      }
      drover_node::pin { $title:
        version => $drover_node::program_version,
        require => Package[$title],
      }
    }
  }
  file { "${drover_node::root}/usr/local/bin/${title}":
    ensure => link,
    target => "/opt/drover/bin/${title}",
    owner  => $drover_node::owner,
    group  => $drover_node::group,
  }
}

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
      package { $title:
        ensure => $drover_node::program_version,
        before => File["${bin}/${title}"],
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

# A systemd unit of ours; the title is its file name.
#
# @param content
#   The unit file.
# @param running
#   Whether it is started now and kept running. Undefined: somebody else starts and stops it.
# @param enabled
#   Whether it starts at boot.
define drover_node::unit (
  String[1] $content,
  Optional[Boolean] $running = undef,
  Boolean $enabled = false,
) {
  file { "${drover_node::root}/etc/systemd/system/${title}":
    content => $content,
    owner   => $drover_node::owner,
    group   => $drover_node::group,
    mode    => '0644',
  }
  if $drover_node::manage_services {
    # One for each unit: a reload that all of them shared would have to come both before and after most classes.
    exec { "load ${title}":
      command     => '/bin/systemctl daemon-reload',
      refreshonly => true,
      subscribe   => File["${drover_node::root}/etc/systemd/system/${title}"],
    }
    if $running {
      service { $title:
        ensure    => running,
        enable    => $enabled,
        require   => Exec["load ${title}"],
        subscribe => File["${drover_node::root}/etc/systemd/system/${title}"],
      }
    }
  }
}

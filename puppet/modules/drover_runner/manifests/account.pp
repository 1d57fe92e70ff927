# The user of the jobs: no login, and no group beside its own unless the input `docker` is on.
class drover_runner::account {
  if $drover_node::manage_accounts {
    group { $drover_runner::user:
      ensure => present,
      system => true,
    }
    user { $drover_runner::user:
      ensure     => present,
      system     => true,
      gid        => $drover_runner::user,
      groups     => $drover_runner::docker ? { true => ['docker'], default => undef },
      home       => "/home/${drover_runner::user}",
      managehome => true,
      shell      => '/bin/bash',
    }
  }
  # A job's crontab would outlive its job; users without a session have no lingering services.
  if $drover_runner::clean_between_jobs {
    ['cron.allow', 'at.allow'].each |$name| {
      file { "${drover_node::root}/etc/${name}":
        content => "root\n",
        owner   => $drover_node::owner,
        group   => $drover_node::group,
        mode    => '0644',
      }
    }
  }
}

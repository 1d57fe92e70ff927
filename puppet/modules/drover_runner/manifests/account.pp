# The user of the jobs: no login, no sudo, no group beside its own.
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
      home       => "/home/${drover_runner::user}",
      managehome => true,
      shell      => '/bin/bash',
    }
  }
}

# The runner software, by version and checksum. Files that only root can write say what is installed.
class drover_runner::software {
  $directory = "${drover_node::root}${drover_runner::directory}"
  $installer = "${drover_node::root}/opt/drover/lib/install-runner"
  $state = "${drover_node::root}/var/lib/drover"
  $architecture = $facts['os']['architecture'] ? {
    /\A(amd64|x86_64)\z/  => 'x64',
    /\A(arm64|aarch64)\z/ => 'arm64',
    default               => fail("There is no runner for the architecture ${facts['os']['architecture']}."),
  }
  $release = "https://github.com/actions/runner/releases/download/v${drover_runner::version}"
  $url = $drover_runner::archive_url ? {
    undef   => "${release}/actions-runner-linux-${architecture}-${drover_runner::version}.tar.gz",
    default => $drover_runner::archive_url,
  }
  $installed = "${drover_runner::version} ${drover_runner::checksum}"

  file { ["${drover_node::root}/opt/drover", "${drover_node::root}/opt/drover/lib", $state]:
    ensure => directory,
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  file { $installer:
    source => 'puppet:///modules/drover_runner/install-runner.sh',
    owner  => $drover_node::owner,
    group  => $drover_node::group,
    mode   => '0755',
  }
  exec { 'install the runner software':
    command     => shellquote($installer, $drover_runner::version, $url, $drover_runner::checksum, $directory, $drover_runner::user, "${state}/runner"),
    environment => ["DOWNLOAD_PATIENCE=${drover_runner::download_patience}"],
    unless      => "grep -qsxF '${installed}' ${state}/runner && test -x ${directory}/bin/Runner.Listener",
    path        => '/usr/sbin:/usr/bin:/sbin:/bin',
    provider    => shell,
    timeout     => 1500,
    require     => File[$installer, $state],
  }
  # Only the directory itself: a job could put a link in the place of anything of its own below it, and root would follow.
  file { $directory:
    ensure  => directory,
    owner   => $drover_node::owner,
    group   => $drover_runner::user,
    mode    => '1775',
    require => Exec['install the runner software'],
  }
  if $drover_node::manage_packages {
    # The runner brings a script that knows which libraries its .NET needs on which distribution. Root owns it and the
    # folders that it is in.
    exec { 'install the libraries of the runner software':
      command     => "${directory}/bin/installdependencies.sh && echo '${installed}' >${state}/runner-libraries",
      unless      => "grep -qsxF '${installed}' ${state}/runner-libraries",
      environment => ['DEBIAN_FRONTEND=noninteractive'],
      path        => '/usr/sbin:/usr/bin:/sbin:/bin',
      provider    => shell,
      timeout     => 600,
      tries       => 3,
      try_sleep   => 20,
      require     => Exec['install the runner software'],
    }
  }
}

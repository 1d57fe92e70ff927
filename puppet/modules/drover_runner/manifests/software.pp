# The runner software, by version and checksum. A marker file says what is installed.
class drover_runner::software {
  $directory = "${drover_node::root}${drover_runner::directory}"
  $installer = "${drover_node::root}/opt/drover/lib/install-runner"
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

  file { ["${drover_node::root}/opt/drover", "${drover_node::root}/opt/drover/lib"]:
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
  file { $directory:
    ensure => directory,
    owner  => $drover_runner::user,
    mode   => '0755',
  }
  exec { 'install the runner software':
    command     => shellquote($installer, $drover_runner::version, $url, $drover_runner::checksum, $directory, $drover_runner::user),
    environment => ["DOWNLOAD_PATIENCE=${drover_runner::download_patience}"],
    unless      => shellquote('grep', '-qsxF', $installed, "${directory}/.installed"),
    path        => '/usr/sbin:/usr/bin:/sbin:/bin',
    timeout     => 1500,
    require     => File[$installer, $directory],
  }
  if $drover_node::manage_packages {
    # The runner brings a script that knows which libraries its .NET needs on which distribution.
    exec { 'install the libraries of the runner software':
      command     => "${directory}/bin/installdependencies.sh && touch ${directory}/.dependencies-installed",
      creates     => "${directory}/.dependencies-installed",
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

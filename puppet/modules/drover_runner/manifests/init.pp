# A runner instance: the runner software, the agent that registers, guards and drains it, and a firewall that keeps
# jobs away from the instance's credentials. The registration token is no part of this: the agent fetches and deletes it.
#
# @param release
#   Version, checksum and archive that the boot script took from the fleet's mirror. Undefined for a version that was chosen
#   by hand.
# @param version
#   Version of the runner software.
# @param checksum
#   SHA-256 of its archive.
# @param archive_url
#   Where the archive lies. Default: what the release says, else GitHub's release page for this version and architecture.
# @param download_patience
#   Seconds for which a server that cannot be reached is tried again.
# @param user
#   Who runs jobs; also the name of its group.
# @param directory
#   Where the runner is installed.
# @param config
#   What the agent is told, beside where the runner is.
# @param metadata_users
#   Who may speak to the instance metadata service, and so use the instance's role.
# @param docker
#   The input `docker`: a Docker daemon that jobs may use.
# @param docker_package
#   The package that brings the daemon, its unit `docker` and its group `docker`.
# @param docker_registry_mirror
#   The input `docker_registry_mirror`: where the daemon looks before Docker Hub.
# @param passwordless_sudo
#   The input `passwordless_sudo`: jobs may run any command as root.
# @param clean_between_jobs
#   The input `clean_between_jobs`: nobody but root uses crontab and at.
# @param variables
#   Environment of the runner, the agent and the Docker daemon: the proxy and the like.
# @param visudo
#   What checks the sudo rule.
class drover_runner (
  Optional[Hash[String, String]] $release = $facts['drover_release'],
  String[1] $version = $release ? {
    undef   => $facts.dig('actions_runner', 'runner_version'),
    default => $release['version'],
  },
  Pattern[/\A[0-9a-f]{64}\z/] $checksum = $release ? {
    undef   => $facts.dig('actions_runner', 'runner_checksum'),
    default => $release['checksum'],
  },
  Optional[String[1]] $archive_url = $release ? {
    undef   => undef,
    default => $release['url'],
  },
  Integer[0] $download_patience = 900,
  String[1] $user = 'actions-runner',
  String[1] $directory = '/opt/actions-runner',
  Hash[String, Data] $config = $facts['actions_runner'],
  Array[String[1], 1] $metadata_users = ['root'],
  Boolean $docker = $facts.dig('actions_runner', 'docker') == true,
  String[1] $docker_package = 'docker.io',
  Optional[String[1]] $docker_registry_mirror = $facts.dig('actions_runner', 'docker_registry_mirror'),
  Boolean $passwordless_sudo = $facts.dig('actions_runner', 'passwordless_sudo') == true,
  Boolean $clean_between_jobs = $facts.dig('actions_runner', 'clean_between_jobs') != false,
  Optional[Hash[String[1], String[1]]] $variables = $facts.dig('drover', 'variables'),
  String[1] $visudo = '/usr/sbin/visudo',
) {
  include drover_node
  contain drover_runner::network
  contain drover_runner::privileges
  contain drover_runner::account
  contain drover_runner::software
  contain drover_runner::firewall
  contain drover_runner::service
  contain drover_runner::agent

  # The group `docker` comes with the package.
  Class['drover_node'] -> Class['drover_runner::network']
  -> Class['drover_runner::privileges']
  -> Class['drover_runner::account']
  -> Class['drover_runner::software']
  -> Class['drover_runner::firewall']
  -> Class['drover_runner::service']
  -> Class['drover_runner::agent']
}

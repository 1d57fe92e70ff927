# Each instance says in its facts what it is; every role has one class.
$role = $facts.dig('drover', 'role')

case $role {
  'actions_runner': { include drover_runner }
  default: {
    fail("The fact drover.role is '${role}'; allowed is actions_runner. Cloud-init writes it to the facts file of this instance.")
  }
}

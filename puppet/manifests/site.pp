# Each instance says in its facts what it is; every role has one class.
$role = $facts.dig('drover', 'role')

case $role {
  'actions_runner': { include drover_runner }
  /\Asearch_[a-z]/: { include drover_search }
  default: {
    fail("The fact drover.role is '${role}'; allowed is actions_runner, or search_ with the group of a search node. Cloud-init writes it to the facts file of this instance.")
  }
}

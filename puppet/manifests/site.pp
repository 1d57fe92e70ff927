# Each instance says in its facts what it is; every role has one class.
$role = $facts.dig('drover', 'role')

case $role {
  'actions_runner': { include drover_runner }
  'search_master', 'search_data': { include drover_search }
  default: {
    fail("The fact drover.role is '${role}'; allowed is actions_runner, search_master or search_data. Cloud-init writes it to the facts file of this instance.")
  }
}

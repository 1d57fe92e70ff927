/** Privileges of a role in the file `roles.yml` of a node. */
interface FileRole {
  readonly cluster: readonly string[];
  readonly indices?: readonly { readonly names: readonly string[]; readonly privileges: readonly string[] }[];
}

/** Files of one node: those of another may differ, as they do while a cluster is replaced node by node. */
export interface NodeSecurity {
  /** `roles.yml` */
  readonly roles: Readonly<Record<string, FileRole>>;
  /** `xpack.security.authc.anonymous.*` */
  readonly anonymous?: {
    readonly username: string;
    readonly roles: readonly string[];
    readonly authzException: boolean;
  };
}

/** Monitoring by named actions: a server takes each as a pattern with `*` at its end. */
const monitoring: FileRole = {
  cluster: [
    'cluster:monitor/health',
    'cluster:monitor/main',
    'cluster:monitor/nodes/info',
    'cluster:monitor/nodes/stats',
    'cluster:monitor/allocation/stats',
    'cluster:monitor/stats',
  ],
  indices: [{ names: ['*'], privileges: ['indices:monitor/stats'] }],
};

/** Without credentials: nothing at the first node, `monitoring` at the others, which refuse everything else with 401 or 403. */
export function nodeSecurity(at: number): NodeSecurity {
  const roles = { anonymous_monitor: monitoring };
  const anonymous = { username: 'anonymous', roles: at === 0 ? [] : ['anonymous_monitor'], authzException: at === 2 };
  // A role that only one of the nodes knows.
  return { roles: at < 2 ? roles : { ...roles, only_here: { cluster: ['monitor'] } }, anonymous };
}

import type { Random } from '@drover/core';
import type { ClusterStage } from '@drover/stage/testing';

/** Returns what ends it; `away`: a node is. */
interface Fault {
  readonly away?: boolean;
  begin(stage: ClusterStage, random: Random): Promise<() => Promise<void>>;
}

const nothing = async () => {};
const refusing = (service: string, operation: string, chance = 1): Fault => ({
  begin: async (stage) => {
    const end = stage.fault({ service, operation, chance, subject: 'assumed-role', effect: { kind: 'error' } });
    return async () => end();
  },
});
const anyNode = (stage: ClusterStage, random: Random) => random.pick([...reachable(stage)]);

/** The troubles that a day of the year may have, by name. */
export const yearFaults: Readonly<Record<string, Fault>> = {
  'a node is lost': {
    away: true,
    begin: async (stage, random) => {
      stage.world.machines.kill(anyNode(stage, random));
      return async () => await stage.until('the lost node is replaced', () => isWell(stage));
    },
  },
  'Elasticsearch starts again on a node': {
    away: true,
    begin: async (stage, random) => {
      const machine = stage.world.machines.get(anyNode(stage, random))!;
      await stage.drive(machine.stopService('elasticsearch'));
      void machine.startService('elasticsearch');
      return async () => await stage.until('the node is back', () => isWell(stage));
    },
  },
  'settle dies': {
    begin: async (stage, random) => {
      const [, host] = reachable(stage, stage.groups.master);
      const machine = stage.world.machines.get(host!)!;
      void stage.deployed.begin(host!, 'cluster-cli --quiet node settle');
      stage.clock.after(random.int(50, 4_000), () => {
        for (const each of machine.processes()) if (each.argv.includes('settle')) each.signal('SIGKILL');
      });
      return nothing;
    },
  },
  'a third of all new versions are refused': refusing('secretsmanager', 'PutSecretValue', 0.3),
  'a third of all labels are refused': refusing('secretsmanager', 'UpdateSecretVersionStage', 0.3),
  'a third of all secrets cannot be read': refusing('secretsmanager', 'GetSecretValue', 0.3),
  'secrets cannot be described': refusing('secretsmanager', 'DescribeSecret'),
  'tasks of the web UI are not replaced': refusing('ecs', 'UpdateService'),
};

/** Instances in service whose node runs: Auto Scaling notices a dead one only later. */
export const reachable = ({ deployed }: ClusterStage, group?: string): readonly string[] =>
  deployed.inService(group).filter((id) => deployed.nodes.get(id)?.running === true);

/** Every node is in service and in the cluster, and every copy is there. */
export const isWell = (stage: ClusterStage): boolean => {
  const { deployed } = stage;
  const joined = [...deployed.nodes.values()].filter((node) => node.running && node.attached).length;
  return stage.isWhole() && joined === deployed.inService().length && deployed.colour() === 'green';
};

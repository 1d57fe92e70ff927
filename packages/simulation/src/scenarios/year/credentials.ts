import { basicAuth } from '@drover/adapters/elasticsearch/client';
import { noBody } from '@drover/cloud-engine';
import type { ClusterStage } from '@drover/stage/testing';

export type Stage = 'AWSCURRENT' | 'AWSPENDING' | 'AWSPREVIOUS';
type Labels = Readonly<Record<string, readonly string[]>>;

/** A secret of the cluster, past all faults and rights. */
export class ShownSecret {
  readonly id: string;
  readonly #stage: ClusterStage;

  constructor(stage: ClusterStage, id: string) {
    this.#stage = stage;
    this.id = id;
  }

  async labels(): Promise<Labels> {
    const found = await this.#call<{ VersionIdsToStages: Labels }>('DescribeSecret', {});
    return found.VersionIdsToStages;
  }

  /** Undefined where no version has the label. */
  async value(stage: Stage): Promise<string | undefined> {
    const [id] = Object.entries(await this.labels()).find(([, labels]) => labels.includes(stage)) ?? [];
    if (id === undefined) return undefined;
    return (await this.#call<{ SecretString: string }>('GetSecretValue', { VersionId: id })).SecretString;
  }

  async #call<T>(operation: string, input: object): Promise<T> {
    return await (this.#stage.deployed.aws('secretsmanager', operation, { SecretId: this.id, ...input }) as Promise<T>);
  }
}

/** Whether a node lets a user in; undefined without a response. */
export async function letsIn(
  { deployed }: ClusterStage,
  instanceId: string,
  username: string,
  password: string,
): Promise<boolean | undefined> {
  const node = deployed.nodes.get(instanceId);
  if (node === undefined || !node.running || !node.attached) return undefined;
  const headers = { host: 'client', authorization: basicAuth(username, password) };
  const path = '/_security/_authenticate';
  const { status } = await node.handle({ method: 'GET', host: 'client', path, query: '', headers, body: noBody });
  return status === 200 ? true : status === 401 ? false : undefined;
}

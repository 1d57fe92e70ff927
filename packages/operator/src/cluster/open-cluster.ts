import {
  type AwsCalls,
  groupInstances,
  loadBalancerTargets,
  retainedInstances,
  secretVersions,
} from '@drover/adapters/aws';
import { autoScalingSdk, callsThrough, ec2Sdk, secretsManagerSdk, signingAs } from '@drover/adapters/aws/sdk';
import { elasticLoadBalancing, signedCalls } from '@drover/adapters/aws/signed';
import { searchRoles } from '@drover/adapters/elasticsearch';
import {
  basicAuth,
  type HttpExchange,
  loginWith,
  SearchClient,
  type SearchClientOptions,
} from '@drover/adapters/elasticsearch/client';
import { TerminalError } from '@drover/core';
import { dataGroupsOf, namesOf } from '@drover/core/names/node-groups';
import { superuser } from '@drover/core/names/search-cluster';
import { passwordIn } from '@drover/search-cluster';
import type { SecretStage } from '@drover/search-cluster/ports';
import type { DroverIo, OperatorClients } from '../io.ts';
import { outputNamed, readOutputs } from '../output/read-outputs.ts';

export interface ClusterOptions {
  /** The stack that the cluster was deployed with. */
  readonly stack: string;
  /** The address of Elasticsearch. @default the stack's cluster_url */
  readonly url?: string | undefined;
  /** How long after the first 401 further ones may come from a node whose security is starting. @default 0 */
  readonly securityStartsWithinMs?: number;
}

const requestTimeoutMs = 10_000;

/** A deployed cluster as an operator sees it: its groups, and Elasticsearch with the password of its secret. */
export async function openCluster(io: DroverIo, { stack, url, securityStartsWithinMs = 0 }: ClusterOptions) {
  const aws = await io.aws();
  const outputs = await readOutputs(aws.cloudformation, stack);
  const named = (name: string) => outputNamed(outputs, stack, name);
  const nodeAws = operatorAws(aws, io.env.AWS_ENDPOINT_URL);
  const [master, data] = [named('master_autoscaling_group_name'), named('data_autoscaling_group_name')];
  const instances = groupInstances(nodeAws);
  const nodeGroups = await instances.groupsOf(master);
  const groups = { master, data, all: namesOf(nodeGroups), holdingData: dataGroupsOf(nodeGroups) };
  let tried: SecretStage = 'AWSCURRENT';
  const of = (stage: SecretStage) => async () => {
    tried = stage;
    return await loginOf(nodeAws, named('elastic_secret_id'), stage);
  };
  const ways = [of('AWSCURRENT'), of('AWSPENDING'), of('AWSCURRENT'), of('AWSPREVIOUS')];
  const login = loginWith(ways, { anonymousFirst: false });
  const client = searchClient(io, url ?? named('cluster_url'), { login, securityStartsWithinMs });
  return {
    stack,
    outputs,
    aws,
    nodeAws,
    groups,
    clusterName: master,
    /** Asked for by commands that need it: stacks of older versions have no such output. */
    stateBucket: () => named('state_bucket'),
    url: url ?? named('cluster_url'),
    /** The version of the password that was tried last: the one that works, after a request. */
    triedPassword: () => tried,
    client,
    search: searchRoles(client),
    instances,
    retained: retainedInstances(nodeAws),
    targets: loadBalancerTargets(nodeAws),
  };
}

export type OpenCluster = Awaited<ReturnType<typeof openCluster>>;

function searchClient(
  io: DroverIo,
  url: string,
  options: Pick<SearchClientOptions, 'login' | 'securityStartsWithinMs'>,
): SearchClient {
  const { protocol, hostname, port } = addressOf(url);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return new SearchClient({
    exchange: fetchExchange(io.fetch),
    clock: io.clock,
    address: { protocol: scheme, host: hostname, port: Number(port || (scheme === 'https' ? 443 : 80)) },
    ...options,
    timeoutMs: requestTimeoutMs,
    asksAnotherNode: true,
    signal: io.signal,
  });
}

function addressOf(url: string): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw new TerminalError(`${JSON.stringify(url)} is no address`, {
      cause,
      remedy: 'give one like https://search.example.com',
    });
  }
}

async function loginOf(aws: OperatorAws, secretId: string, stage: SecretStage): Promise<string | undefined> {
  const version = await secretVersions(aws).read(secretId, stage);
  const password = version === undefined ? undefined : passwordIn(version.value);
  return password === undefined ? undefined : basicAuth(superuser, password);
}

type OperatorAws = Pick<AwsCalls, 'autoscaling' | 'ec2' | 'elasticloadbalancing' | 'secretsmanager'>;

/** The operator's SDK clients instead of a node's. */
const operatorAws = (aws: OperatorClients, endpoint: string | undefined): OperatorAws => ({
  autoscaling: callsThrough(autoScalingSdk.commands, () => aws.autoscaling),
  ec2: callsThrough(ec2Sdk.commands, () => aws.ec2),
  elasticloadbalancing: signedCalls(elasticLoadBalancing, signingAs(aws.autoscaling.config, endpoint)),
  secretsmanager: callsThrough(secretsManagerSdk.commands, () => aws.secrets),
});

/** Elasticsearch over `fetch`: doctor and release only read, and a GET with a body is not among what they send. */
const fetchExchange =
  (send: typeof fetch): HttpExchange =>
  async ({ method, protocol, host, path, query, headers, body, signal }) => {
    const url = `${protocol}://${host}${path}${query === '' ? '' : `?${query}`}`;
    const content = body.length === 0 ? {} : { body: Buffer.from(body) };
    const response = await send(url, { method, headers: { ...headers }, signal, redirect: 'manual', ...content });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
    };
  };

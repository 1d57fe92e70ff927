import type { Clients, World } from '@drover/cloud-world';

/** The services that the contract speaks to. */
export type ContractClients = Pick<
  Clients,
  | 'autoscaling'
  | 'cloudformation'
  | 'cloudwatch'
  | 'ec2'
  | 'events'
  | 'iam'
  | 'lambda'
  | 'logs'
  | 'secretsmanager'
  | 'ssm'
  | 'sts'
>;

/** Credentials as STS hands them out. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** The target of a contract test: the embedded cloud, or an account of AWS. Only the public API is the same in both. */
export interface Target {
  /** Clients of an administrator. */
  readonly clients: ContractClients;
  /** Clients with a role's credentials. */
  clientsAs(credentials: SessionCredentials): ContractClients;
  /** Milliseconds; only differences mean something. */
  now(): number;
  /** Lets time go by: moves the virtual clock, or really waits. */
  pass(ms: number): Promise<void>;
  /** Looks again and again until there is something to see; what is looked at may also throw meanwhile. */
  until<T>(what: string, look: () => Promise<T | undefined | false>, limitMs?: number, everyMs?: number): Promise<T>;
  /** A name that no other resource has, recognisable as ours. */
  uniqueName(prefix: string): string;
  /** Undoes something after the test, last in first out, also when the test failed. */
  cleanup(undo: () => Promise<unknown>): void;
  /** The world behind it, for what no public API can bring about. */
  readonly embedded: World | undefined;
}

/** Every resource that can carry tags carries this one. */
export const contractTag = 'drover-contract';

/** Every name begins with this. */
export const contractPrefix = 'drover-contract';

/** Set to `aws` by `npm run test:aws`. */
export const againstAccount = process.env.DROVER_CONTRACT_TARGET === 'aws';

/** A fresh target for one test, and how to clean up after it. */
export interface OpenTarget extends Target {
  /** Undoes everything; returns what could not be undone. */
  cleanUp(): Promise<readonly string[]>;
}

export const seconds = (count: number) => count * 1_000;
export const minutes = (count: number) => count * 60_000;

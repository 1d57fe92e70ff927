/** Programs of an older release as they were, on what this one's machines offer to programs. */
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { ClusterAws } from '@drover/adapters/aws';
import type { main } from '@drover/cluster-cli';

export type ClusterCli = typeof main;

/** A command of the SDK, which is nothing but its name and its input here. */
interface Command {
  readonly operation: string;
  readonly input: never;
}

/** Stands for every package of the SDK: a class for each name that is asked for. */
const sdk = new Proxy(
  {},
  {
    get: (_, name) =>
      class {
        readonly operation = String(name).replace(/Command$/, '');
        readonly input: unknown;
        constructor(input: unknown) {
          this.input = input;
        }
      },
  },
);

const own = createRequire(import.meta.url);

/** `cluster-cli` of release 0.1.0, from its sources as one CommonJS module without the SDK. */
export function frozenClusterCli(code: string): ClusterCli {
  const module = { exports: {} as { main: (argv: readonly string[], io: unknown) => Promise<number> } };
  const load = (name: string): unknown => (name.startsWith('@aws-sdk/') ? sdk : own(name));
  compileFunction(code, ['module', 'exports', 'require'])(module, module.exports, load);
  return (argv, io) => module.exports.main(argv, { ...io, aws: clients(io.aws!) });
}

/** Its port of AWS: clients of the SDK of which only `send` is used, and two calls to S3. */
function clients(aws: ClusterAws) {
  const client = (service: 'autoscaling' | 'ec2' | 'monitoring' | 'secretsmanager') => async () => ({
    send: ({ operation, input }: Command) =>
      (aws[service] as (operation: string, input: never) => Promise<unknown>)(operation, input),
  });
  const unless = (name: string) => (error: Error) => {
    if (error.name !== name) throw error;
    return undefined;
  };
  return {
    autoScaling: client('autoscaling'),
    cloudWatch: client('monitoring'),
    ec2: client('ec2'),
    secrets: client('secretsmanager'),
    objects: async () => ({
      get: async (Bucket: string, Key: string) =>
        (await aws.s3('GetObject', { Bucket, Key }).catch(unless('NoSuchKey')))?.Body,
      create: async (Bucket: string, Key: string, Body: string) =>
        (await aws.s3('PutObject', { Bucket, Key, Body, IfNoneMatch: '*' }).catch(unless('PreconditionFailed'))) !==
        undefined,
    }),
  };
}

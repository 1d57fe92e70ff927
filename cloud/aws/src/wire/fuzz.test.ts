import { AwsQueryProtocol, AwsSmithyRpcV2CborProtocol } from '@aws-sdk/core/protocols';
import { SeededRandom, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { type ServiceId, serviceIds } from '../account/service.ts';
import { fastClientConfig } from './client-config.ts';
import { type FixedMembers, pruned, randomValue } from './schema/random-shape.test-support.ts';
import { clientPackages, loadClientPackage } from './schema/sdk-schemas.ts';
import { type OperationModel, serviceModel } from './schema/service-model.ts';

/** Set WIRE_SEED to replay a failure, WIRE_ROUNDS for more of it when the SDK is upgraded. */
const seed = process.env.WIRE_SEED ?? '1';
const rounds = Number(process.env.WIRE_ROUNDS ?? 1);

/** Members whose values the client checks or makes itself. Undefined: left out, and not compared. */
const fixedMembers: Partial<Record<ServiceId, FixedMembers>> = {
  // The client presigns a CopySnapshot for the source region.
  ec2: { DestinationRegion: 'eu-west-1', SourceRegion: 'eu-west-1', PresignedUrl: undefined },
  // An endpoint id makes the client ask for Signature Version 4A, which it cannot do without a native package.
  events: { EndpointId: undefined },
  s3: {
    Bucket: 'bucket-1',
    // Computed or checked by the client's middleware, and by HTTP itself.
    ...leftOut('ChecksumAlgorithm', 'ChecksumMode', 'ContentLength', 'ExpiresString'),
    ...leftOut('ChecksumCRC32', 'ChecksumCRC32C', 'ChecksumCRC64NVME', 'ChecksumMD5', 'ChecksumSHA1', 'ChecksumSHA256'),
    ...leftOut('ChecksumSHA512', 'ChecksumXXHASH128', 'ChecksumXXHASH3', 'ChecksumXXHASH64'),
    // Customer keys are encoded and hashed by the client.
    ...leftOut('SSECustomerKey', 'SSECustomerKeyMD5', 'CopySourceSSECustomerKey', 'CopySourceSSECustomerKeyMD5'),
  },
};

function leftOut(...names: readonly string[]): FixedMembers {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Operations that cannot come through, and why. */
type Exceptions = Readonly<Record<string, string>>;
const exceptions: Exceptions = {
  'lambda.InvokeAsync': 'the status code is always there for the client, also when the output leaves it out',
  's3.ListDirectoryBuckets': 'signed for s3express, which is another service',
  's3.WriteGetObjectResponse': 'signed for s3-object-lambda, which is another service',
};

interface Sendable {
  send(command: unknown): Promise<Record<string, unknown>>;
}

/** One operation through the real client and back: what the server saw, what the client saw. */
async function roundTrip(service: ServiceId, operation: OperationModel, random: SeededRandom, config: object) {
  const input = randomValue(operation.input, random, fixedMembers[service]) as object;
  const output = randomValue(operation.output, random, fixedMembers[service]);
  let seen: unknown;
  const call = async (to: string, name: string, given: unknown) => {
    seen = { service: to, name, input: given };
    return output;
  };
  const aws = { region: 'eu-west-1', engine: { clock: new VirtualClock(), random }, call, unlimited: true };
  const answer = await send(service, operation.name, input, { ...fastClientConfig(aws, credentials), ...config });
  return { sent: { service, name: operation.name, input }, seen, output, answer };
}

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

async function send(service: ServiceId, operation: string, input: object, config: object) {
  const exported = loadClientPackage(service);
  const Client = exported[clientPackages[service][1]] as new (config: object) => Sendable;
  const Command = exported[`${operation}Command`] as new (input: object) => object;
  // Queue clients verify digests of message bodies, which random responses do not have.
  const answer = await new Client({ ...config, md5: false }).send(new Command(input));
  const streams = Object.entries(answer).filter(([, value]) => isStream(value)) as [string, Streamed][];
  for (const [name, stream] of streams) {
    const bytes = await stream.transformToByteArray();
    // An absent body is an empty stream for the client.
    answer[name] = bytes.length === 0 ? undefined : bytes;
  }
  return answer;
}

interface Streamed {
  transformToByteArray(): Promise<Uint8Array>;
}

const isStream = (value: unknown): value is Streamed =>
  typeof (value as Partial<Streamed> | undefined)?.transformToByteArray === 'function';

async function differences(
  service: ServiceId,
  config: object = {},
  except: Exceptions = exceptions,
): Promise<string[]> {
  const found: string[] = [];
  for (const operation of serviceModel(service).operations.values()) {
    if (operation.hasEventStream || except[`${service}.${operation.name}`] !== undefined) continue;
    for (let round = 0; round < rounds; round++) {
      const random = new SeededRandom(`${seed}/${round}/${service}/${operation.name}`);
      const difference = await differenceOf(service, operation, random, config);
      if (difference !== undefined) found.push(`${operation.name}, seed ${random.seed}: ${difference}`);
    }
  }
  return found;
}

async function differenceOf(service: ServiceId, operation: OperationModel, random: SeededRandom, config: object) {
  const plain = (value: unknown) => pruned(value, fixedMembers[service]);
  try {
    const { sent, seen, output, answer } = await roundTrip(service, operation, random, config);
    expect(plain(seen)).toEqual(plain(sent));
    expect(plain(answer)).toEqual(plain(output));
    return undefined;
  } catch (error) {
    const { message, actual, expected } = error as Error & { actual?: unknown; expected?: unknown };
    return `${message} ${JSON.stringify({ actual, expected })}`;
  }
}

describe.each(serviceIds)('the wire of %s', (service) => {
  it("reads every input and writes every output that the SDK's schemas allow", async () => {
    expect(await differences(service)).toEqual([]);
  });
});

describe('a service with several protocols', () => {
  it.each([
    ['monitoring', 'Query', AwsQueryProtocol],
    ['monitoring', 'RPC v2 CBOR', AwsSmithyRpcV2CborProtocol],
  ] as const)('%s is understood in %s too', async (service, _name, protocol) => {
    expect(await differences(service, { protocol })).toEqual([]);
  });
});

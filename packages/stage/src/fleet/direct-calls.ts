import { createHash } from 'node:crypto';
import type { AwsCalls, ObjectBytes } from '@drover/adapters/aws';
import type { World } from '@drover/cloud-world';

type Caller = Parameters<World['aws']['call']>[3];
type Input = Readonly<Record<string, unknown>>;

/**
 * AWS without the wire, for mass simulation: identity, IAM, faults and journal as over the wire, but nothing is written and
 * parsed again. Stories with transport `sdk` use the wire.
 */
export function directCalls(world: World, caller: () => Caller): AwsCalls {
  const service = <Service extends keyof AwsCalls>(name: Service): AwsCalls[Service] =>
    (async (operation: string, input: Input) =>
      await world.aws.call(name, operation, copyOf(input), caller())) as unknown as AwsCalls[Service];
  return {
    autoscaling: service('autoscaling'),
    cloudformation: service('cloudformation'),
    ec2: service('ec2'),
    ecs: service('ecs'),
    elasticloadbalancing: service('elasticloadbalancing'),
    logs: service('logs'),
    monitoring: service('monitoring'),
    s3: objects(service('s3') as never),
    secretsmanager: service('secretsmanager'),
    ssm: service('ssm'),
  };
}

/** As `structuredClone`, which takes several times as long for the small plain objects that nearly all inputs are. */
function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (value instanceof Uint8Array) return new Uint8Array(value) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) copy[key] = copyOf((value as Record<string, unknown>)[key]);
  return copy as T;
}

/** Reads a stream of bytes; S3 would refuse bytes other than those announced. */
export async function collect({ open, sha256, length }: ObjectBytes): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await open()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== length || createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw Object.assign(new Error('The bytes do not have the announced SHA-256'), {
      name: 'XAmzContentSHA256Mismatch',
    });
  return bytes;
}

/** The service keeps bytes; the port has text. */
const objects = (s3: (operation: string, input: Input) => Promise<Input>): AwsCalls['s3'] =>
  (async (operation: string, input: Input) => {
    const { Body: given, ...rest } = input as Input & { readonly Body?: string | ObjectBytes };
    const bytes = typeof given === 'object' ? await collect(given) : Buffer.from(given ?? '');
    const { Body, ...output } = await s3(operation, given === undefined ? rest : { ...rest, Body: bytes });
    return Body === undefined ? output : { ...output, Body: Buffer.from(Body as Uint8Array).toString('utf8') };
  }) as AwsCalls['s3'];

import type { AwsCalls } from '@drover/adapters/aws';
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
      await world.aws.call(name, operation, structuredClone(input), caller())) as unknown as AwsCalls[Service];
  return {
    autoscaling: service('autoscaling'),
    cloudformation: service('cloudformation'),
    ec2: service('ec2'),
    ecs: service('ecs'),
    logs: service('logs'),
    monitoring: service('monitoring'),
    s3: objects(service('s3') as never),
    secretsmanager: service('secretsmanager'),
    ssm: service('ssm'),
  };
}

/** The service keeps bytes; the port has text. */
const objects = (s3: (operation: string, input: Input) => Promise<Input>): AwsCalls['s3'] =>
  (async (operation: string, input: Input) => {
    const { Body: text, ...rest } = input;
    const { Body, ...output } = await s3(
      operation,
      text === undefined ? rest : { ...rest, Body: Buffer.from(text as string) },
    );
    return Body === undefined ? output : { ...output, Body: Buffer.from(Body as Uint8Array).toString('utf8') };
  }) as AwsCalls['s3'];

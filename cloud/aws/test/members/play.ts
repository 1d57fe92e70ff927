import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { AwsError } from '../../src/account/errors.ts';
import { violations } from '../../src/account/limits.ts';
import type { Caller, ServiceId } from '../../src/account/service.ts';
import { checkInput } from '../../src/wire/schema/check-shape.ts';
import { serviceModel } from '../../src/wire/schema/service-model.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of any operation
export type Seen = Readonly<Record<string, any>>;
type Input = Readonly<Record<string, unknown>>;

/**
 * A request: `service:Operation` and its input, which may use the last response to each operation; a time that passes, in ms; or what no
 * request can bring about.
 */
export type Step = number | ((world: World) => void) | readonly [string, Input | ((seen: Seen) => Input)];

/** A member that is left out of one step's request. */
export interface Omission {
  readonly step: number;
  readonly member: string;
}

type SentRequest = readonly [operation: string, input: Input];

/** Plays steps in a new world and yields each response, as text; a refusal is a response too. */
export async function* play(
  steps: readonly Step[],
  omission?: Omission,
  requests: SentRequest[] = [],
): AsyncGenerator<string> {
  const clock = new VirtualClock();
  const world = new World({ clock });
  const seen: Record<string, unknown> = {};
  let credentials: Caller['credentials'] = world.aws.iam.rootCredentials;
  for (const [index, step] of steps.entries()) {
    if (typeof step === 'number') await clock.advance(step);
    if (typeof step === 'function') step(world);
    if (!Array.isArray(step)) {
      yield '';
      continue;
    }
    const [name, given] = step;
    const [service, operation] = name.split(':') as [ServiceId, string];
    const input = { ...(typeof given === 'function' ? given(seen) : given) };
    requests[index] = [name, { ...input }];
    if (omission?.step === index) delete input[omission.member];
    const response = await ask(world, clock, { service, operation, input, credentials });
    credentials = credentialsIn(response) ?? credentials;
    seen[operation] = response;
    yield JSON.stringify(response) ?? '';
  }
}

/** Credentials of a response, with which the next requests are made. */
function credentialsIn({ AccessKey, Credentials }: Seen): Caller['credentials'] | undefined {
  if (Credentials !== undefined)
    return { accessKeyId: Credentials.AccessKeyId, sessionToken: Credentials.SessionToken };
  return AccessKey === undefined ? undefined : { accessKeyId: AccessKey.AccessKeyId };
}

interface Request {
  readonly credentials: Caller['credentials'];
  readonly service: ServiceId;
  readonly operation: string;
  readonly input: Input;
}

async function ask(
  { aws }: World,
  clock: VirtualClock,
  { service, operation, input, credentials }: Request,
): Promise<Seen> {
  try {
    checkShape(`${service}:${operation}`, input);
    const [violation] = violations(service, operation, input);
    if (violation !== undefined) return { refused: violation };
    const call = aws.call(service, operation, input, { credentials });
    let ended = false;
    call.finally(() => (ended = true)).catch(() => {});
    await clock.runUntil(() => ended, 600_000);
    return ((await call) ?? {}) as Seen;
  } catch (error) {
    return { refused: error instanceof AwsError ? `${error.code}: ${error.message}` : String(error) };
  }
}

function checkShape(name: string, input: Input): void {
  const [service, operation] = name.split(':') as [ServiceId, string];
  checkInput(serviceModel(service).operations.get(operation)!.input, input);
}

/** Adds the members of the steps' requests without which a response of the steps is another one. */
export async function addEffective(found: Set<string>, steps: readonly Step[]): Promise<void> {
  const requests: SentRequest[] = [];
  const responses: string[] = [];
  for await (const response of play(steps, undefined, requests)) responses.push(response);
  for (const [step, [operation, input] = ['', {}]] of requests.entries())
    for (const member of Object.keys(input)) {
      const name = `${operation} ${member}`;
      if (found.has(name)) continue;
      const isRequired = !hasShape(operation, { ...input, [member]: undefined });
      if (isRequired || (await hasEffect(steps, { step, member }, responses))) found.add(name);
    }
}

function hasShape(operation: string, input: Input): boolean {
  try {
    checkShape(operation, input);
    return true;
  } catch {
    return false;
  }
}

async function hasEffect(steps: readonly Step[], omission: Omission, expected: readonly string[]): Promise<boolean> {
  let at = 0;
  for await (const response of play(steps, omission)) if (response !== expected[at++]) return true;
  return false;
}

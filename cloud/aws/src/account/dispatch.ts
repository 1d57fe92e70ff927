import { never, noteAsked } from '@drover/cloud-engine';
import { AwsError, notImplemented, throttled } from './errors.ts';
import { requireModelledInput } from './modelled.ts';
import type { AwsNeighbours } from './neighbours.ts';
import type { Call, Caller, Principal, ServiceId } from './service.ts';

/** One API call: who is it, does a fault strike, does IAM allow it, what does it do; all of it journalled. */
export async function dispatch(
  aws: AwsNeighbours,
  service: ServiceId,
  operation: string,
  input: unknown,
  caller: Caller,
): Promise<unknown> {
  const modelled = aws.services[service].operations[operation];
  if (modelled === undefined) throw notImplemented(service, operation);
  noteAsked(`aws ${service}:${operation}`);
  const principal = aws.iam.principalFor(caller.credentials.accessKeyId, caller.credentials.sessionToken, service);
  const requestId = (caller.ids ?? aws.engine.random).uuid();
  const trace = caller.traceId === undefined ? {} : { traceId: caller.traceId };
  const call: Call = { service, operation, requestId, principal, ...trace };
  let resource: string | undefined;
  try {
    await strikeBefore(aws, call, caller);
    requireModelledInput(service, operation, input);
    const permissions = modelled.permissions(input, call);
    resource = permissions[0]?.resource;
    for (const permission of permissions) aws.iam.authorize(principal, permission, service);
    const output = await modelled.run(input, call);
    await strikeAfter(aws, call, caller);
    journal(aws, call, resource);
    return output;
  } catch (error) {
    journal(aws, call, resource, error);
    throw error;
  }
}

function journal(aws: AwsNeighbours, call: Call, resource: string | undefined, error?: unknown): void {
  const failure = error === undefined ? {} : { error: error instanceof AwsError ? error.code : String(error) };
  aws.engine.journal.record({
    kind: 'request',
    source: `aws.${call.service}`,
    name: call.operation,
    ...(resource === undefined || resource === '*' ? {} : { subject: resource }),
    detail: { by: shortName(call.principal), ...failure },
  });
}

const shortNames = new WeakMap<Principal, string>();

/** The session of a role, the name of a user, or `root`; one principal makes thousands of calls. */
function shortName(principal: Principal): string {
  const known = shortNames.get(principal);
  if (known !== undefined) return known;
  const name = principal.arn
    .split(/[:/]/)
    .slice(principal.roleArn === undefined ? -1 : -2)
    .join('/');
  shortNames.set(principal, name);
  return name;
}

async function strikeBefore(aws: AwsNeighbours, call: Call, caller: Caller): Promise<void> {
  const point = { service: call.service, operation: call.operation, subject: call.principal.arn };
  const slow = aws.engine.faults.strike(point, ['slow']);
  if (slow !== undefined) await aws.engine.clock.sleep(slow.ms);
  const effect = aws.engine.faults.strike(point, ['throttle', 'error', 'timeout', 'kill']);
  if (effect === undefined) return;
  if (effect.kind === 'throttle') throw throttled();
  if (effect.phase === 'after') return void pendingAfter.set(call, effect);
  await carryOut(effect, caller);
}

type Strike = { kind: 'error'; code?: string; status?: number } | { kind: 'timeout' } | { kind: 'kill' };
const pendingAfter = new WeakMap<Call, Strike>();

async function strikeAfter(_aws: AwsNeighbours, call: Call, caller: Caller): Promise<void> {
  const effect = pendingAfter.get(call);
  if (effect !== undefined) await carryOut(effect, caller);
}

async function carryOut(effect: Strike, caller: Caller): Promise<void> {
  if (effect.kind === 'error')
    throw new AwsError(effect.code ?? 'ServiceUnavailable', 'injected fault', effect.status ?? 503);
  if (effect.kind === 'kill') caller.process?.kill('injected fault');
  await never;
}

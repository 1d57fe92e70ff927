import { fileURLToPath } from 'node:url';
import { serve } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { lockstep } from '../../../elasticsearch/test/outside/lockstep.ts';
import { AwsError } from '../../src/account/errors.ts';
import { type ServiceId, serviceIds } from '../../src/account/service.ts';
import { createAwsEndpoint } from '../../src/wire/endpoint.ts';
import { checkInput } from '../../src/wire/schema/check-shape.ts';
import { type OperationModel, serviceModel } from '../../src/wire/schema/service-model.ts';
import { decode, differences, encode, known, pruned } from './canonical.ts';
import { outsideClients } from './outside-client.ts';

/** Set WIRE_SEED to replay a failure, WIRE_SAMPLE for more unmodelled operations of each service. */
const seed = process.env.WIRE_SEED ?? '1';
const sample = Number(process.env.WIRE_SAMPLE ?? 12);

/** Operations that cannot come through, and why. */
const exceptions: Readonly<Record<string, string>> = {
  's3.ListDirectoryBuckets': 'signed for s3express, which is another service',
  's3.WriteGetObjectResponse': 'its host prefix has no address on loopback',
};

const botocoreNames: Partial<Record<ServiceId, string>> = { monitoring: 'cloudwatch', elasticloadbalancing: 'elbv2' };
const clientName = (service: ServiceId) => botocoreNames[service] ?? service;
const serviceOf = new Map(serviceIds.map((service) => [clientName(service), service]));

const script = fileURLToPath(new URL('./botocore_wire.py', import.meta.url));
const pythons = outsideClients('python3', 'apt-get install python3-botocore', { probe: ['-c', 'import botocore'] });

describe.each(pythons)('botocore of $path $reason', ({ path, missing }) => {
  it.skipIf(missing)(
    'botocore is understood and understands: modelled operations, a sample of the others, errors',
    async () => {
      const { findings, calls } = await exercise(path);
      expect(findings).toEqual([]);
      expect(calls).toBeGreaterThan(serviceIds.length * Math.min(sample, 10));
    },
  );
});

/** The program's announcement: a call that it will make, and the response or the failure that it wants. */
interface Case {
  readonly client: string;
  readonly operation: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly fails?: string;
  readonly message?: string;
}

/** The program's report after the call. */
interface Report {
  readonly parsed?: unknown;
  readonly error?: string;
  readonly code?: string;
  readonly message?: string;
  readonly modelled?: boolean;
}

interface Exchange {
  answer: () => unknown;
  seen: unknown;
}

async function exercise(python: string): Promise<{ findings: string[]; calls: number }> {
  const exchange: Exchange = { answer: () => ({}), seen: undefined };
  const served = await serveExchange(exchange);
  const program = lockstep(python, [script]);
  program.tell(JSON.stringify({ endpoint: served.url, seed, modelled: modelledOperations(), sample }));
  const { fixed } = (await program.next()) as { fixed: Record<string, Record<string, unknown>> };
  const findings: string[] = [];
  let calls = 0;
  for (let one = await program.next<Case>(); one !== undefined; one = await program.next<Case>()) {
    const ignored = new Set(
      Object.entries(fixed[one.client] ?? {}).flatMap(([name, value]) => (value === null ? [name] : [])),
    );
    const operation = serviceModel(serviceOf.get(one.client)!).operations.get(one.operation);
    prepare(exchange, one, operation);
    program.tell('go');
    const report = (await program.next<Report>()) ?? {};
    if (operation === undefined || isExcused(one, operation)) continue;
    calls += 1;
    findings.push(
      ...assess(one, operation, exchange, report, ignored).map((text) => `${one.client}.${one.operation}: ${text}`),
    );
  }
  findings.push(...program.end());
  await served.close();
  return { findings, calls };
}

function serveExchange(exchange: Exchange) {
  const endpoint = createAwsEndpoint({
    newRequestId: () => 'request-id',
    violations: () => [],
    call: async (service, operation, input) => {
      exchange.seen = { client: clientName(service), operation, input };
      return exchange.answer();
    },
  });
  return serve((request) => endpoint(request));
}

function modelledOperations(): Record<string, string[]> {
  const { services } = new World().aws;
  return Object.fromEntries(serviceIds.map((id) => [clientName(id), Object.keys(services[id].operations)]));
}

function prepare(exchange: Exchange, one: Case, operation: OperationModel | undefined): void {
  exchange.seen = undefined;
  exchange.answer = () => {
    if (one.fails !== undefined) throw new AwsError(one.fails, one.message ?? '');
    return operation === undefined ? {} : decode(known(one.output, operation.output));
  };
}

/** Old models leave out what AWS now requires. */
function isExcused(one: Case, operation: OperationModel): boolean {
  if (exceptions[`${one.client}.${one.operation}`] !== undefined) return true;
  try {
    checkInput(operation.input, decode(known(one.input, operation.input)));
    return false;
  } catch {
    return true;
  }
}

function assess(
  one: Case,
  operation: OperationModel,
  exchange: Exchange,
  report: Report,
  ignored: ReadonlySet<string>,
): string[] {
  const compare = (actual: unknown, expected: unknown) =>
    differences(pruned(actual, ignored), pruned(expected, ignored));
  const sent = { client: one.client, operation: one.operation, input: known(one.input, operation.input) };
  const input = compare(encode(exchange.seen), sent).map((text) => `input${text}`);
  if (one.fails !== undefined) return [...input, ...assessFailure(one, operation, report)];
  if (report.error !== undefined) return [...input, report.error];
  return [...input, ...compare(report.parsed, known(one.output, operation.output)).map((text) => `output${text}`)];
}

function assessFailure(one: Case, operation: OperationModel, report: Report): string[] {
  // A response to HEAD has no body that could say more.
  if (operation.http?.[0] === 'HEAD') return report.code === undefined ? ['no error was seen'] : [];
  // Services that once spoke Query still send botocore the codes of that time.
  const old = serviceModel(serviceOf.get(one.client)!).errors.get(one.fails ?? '')?.queryCode;
  const { code, message, modelled } = report;
  const expected = { code: code === old ? old : one.fails, message: one.message, modelled: true };
  return differences({ code, message, modelled }, expected);
}

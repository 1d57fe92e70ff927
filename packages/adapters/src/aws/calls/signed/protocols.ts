import { TransientError } from '@drover/core';
import { awsFailure, type SignedAnswer } from '../signed-request.ts';
import { readXml } from './read-xml.ts';
import type { Shape } from './shape.ts';

/** How a service is spoken to. */
export interface Protocol {
  headers(operation: string): Readonly<Record<string, string>>;
  body(operation: string, input: object): string;
  /** What a success says, as the SDK gives it. */
  output(operation: string, body: string, shape: Shape | undefined): unknown;
  failure(operation: string, answer: SignedAnswer): Error;
}

/** `awsQuery`: a form goes, XML comes (smithy.io, "AWS query protocol"). */
export const queryProtocol = (version: string): Protocol => ({
  headers: () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
  body(operation, input) {
    const form = new URLSearchParams({ Action: operation, Version: version });
    flatten(form, '', input);
    return form.toString();
  },
  output(operation, body, shape) {
    const answer = readWhole(operation, body, () => readXml(body, `${operation}Response`, { members: {} }));
    if (answer === undefined) throw unreadable(operation, body);
    return shape === undefined ? {} : (readXml(body, `${operation}Result`, shape) ?? {});
  },
  failure: (operation, answer) => awsFailure(answer, operation),
});

function flatten(form: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined) return;
  const inner = name === '' ? '' : `${name}.`;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) flatten(form, `${inner}member.${index + 1}`, item);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) flatten(form, `${inner}${key}`, item);
  else form.set(name, String(value));
}

/** `awsJson`: JSON both ways, times as seconds (smithy.io, "AWS JSON protocol"). */
export const jsonProtocol = (target: string, version: '1.0' | '1.1'): Protocol => ({
  headers: (operation) => ({
    'content-type': `application/x-amz-json-${version}`,
    'x-amz-target': `${target}.${operation}`,
  }),
  body: (_, input) => JSON.stringify(input),
  output(operation, body) {
    return body === '' ? {} : readWhole(operation, body, () => JSON.parse(body, asTime) as unknown);
  },
  failure: (operation, answer) => jsonFailure(operation, answer),
});

/** Every number with such a name in the answers that we read is a time. */
const asTime = (key: string, value: unknown) =>
  typeof value === 'number' && /Date(Time)?$/.test(key) ? new Date(value * 1000) : value;

/** The error's name may carry a namespace before it and an address after it. */
function jsonFailure(operation: string, { status, headers, body }: SignedAnswer): Error {
  const said = parseOrNothing(body);
  const type = said.__type ?? headers['x-amzn-errortype'] ?? `Http${status}`;
  const name = type.replace(/^.*#/, '').replace(/:.*$/, '');
  return Object.assign(new Error(`${operation}: ${said.message ?? said.Message ?? `AWS answered ${status}`}`), {
    name,
  });
}

function parseOrNothing(body: string): Readonly<Record<string, string | undefined>> {
  try {
    return Object(JSON.parse(body)) as Record<string, string | undefined>;
  } catch {
    return {};
  }
}

/** An answer that is cut off, or comes from somebody else, is never taken for an empty one. */
function readWhole<T>(operation: string, body: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unreadable(operation, body, cause);
  }
}

const unreadable = (operation: string, body: string, cause?: unknown) =>
  new TransientError(`${operation} was answered with something that is no answer: ${JSON.stringify(body.slice(-80))}`, {
    cause,
    remedy: 'if it stays so: something between the function and AWS answers in its place (proxy, endpoint)',
  });

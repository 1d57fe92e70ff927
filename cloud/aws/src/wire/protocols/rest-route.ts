import { AwsError } from '../../account/errors.ts';
import { remember } from '../remember.ts';
import { members, type OperationModel, requiredCount, type ServiceModel } from '../schema/service-model.ts';
import type { WireRequest } from './protocol.ts';

/** An operation's URI pattern, taken apart once. */
interface Pattern {
  readonly operation: OperationModel;
  readonly method: string;
  readonly segments: readonly Segment[];
  /** Parameters that the pattern demands, with their values; `x-id` apart, which only SDK clients send. */
  readonly literals: readonly (readonly [name: string, value: string])[];
  readonly id: string | undefined;
  /** Names of required parameters and headers: they tell UploadPart from PutObject. */
  readonly requiredQuery: readonly string[];
  readonly requiredHeaders: readonly string[];
}

type Segment = { readonly literal: string } | { readonly label: string; readonly greedy: boolean };

export interface RestMatch {
  readonly operation: OperationModel;
  /** Still percent-encoded. */
  readonly labels: Readonly<Record<string, string>>;
}

const compiled = new WeakMap<ServiceModel, readonly Pattern[]>();

/** The operation whose pattern fits the request best. `path` is the path within the bucket for S3. */
export function matchRoute(
  request: WireRequest,
  path: string,
  model: ServiceModel,
  admits: (operation: OperationModel) => boolean = () => true,
): RestMatch | undefined {
  const steps = path.split('/').slice(1);
  let best: { match: RestMatch; rank: readonly number[] } | undefined;
  for (const pattern of patternsOf(model)) {
    if (pattern.method !== request.method || !admits(pattern.operation)) continue;
    const labels = matchSegments(pattern.segments, steps);
    if (labels === undefined || !hasLiterals(pattern, request)) continue;
    const rank = rankOf(pattern, request);
    if (best === undefined || isHigher(rank, best.rank))
      best = { match: { operation: pattern.operation, labels }, rank };
  }
  return best?.match;
}

const patternsOf = (model: ServiceModel): readonly Pattern[] =>
  remember(compiled, model, () =>
    [...model.operations.values()].filter(({ http }) => http !== undefined).map(toPattern),
  );

function toPattern(operation: OperationModel): Pattern {
  const [method, uri] = operation.http!;
  const [path, query] = uri.split('?');
  const literals = [...new URLSearchParams(query ?? '')];
  const required = members(operation.input).slice(0, requiredCount(operation.input));
  const traits = required.map(([, member]) => member.getMergedTraits());
  return {
    operation,
    method,
    segments: path!.split('/').slice(1).filter(Boolean).map(toSegment),
    literals: literals.filter(([name]) => name !== 'x-id'),
    id: literals.find(([name]) => name === 'x-id')?.[1],
    requiredQuery: traits.flatMap(({ httpQuery }) => (httpQuery === undefined ? [] : [httpQuery])),
    requiredHeaders: traits.flatMap(({ httpHeader }) => (httpHeader === undefined ? [] : [httpHeader.toLowerCase()])),
  };
}

function toSegment(text: string): Segment {
  const [, label, plus] = /^\{([^+}]+)(\+?)\}$/.exec(text) ?? [];
  return label === undefined ? { literal: text } : { label, greedy: plus === '+' };
}

function matchSegments(segments: readonly Segment[], steps: readonly string[]): Record<string, string> | undefined {
  // A trailing slash means nothing, except behind a greedy label, where it belongs to the key.
  const isGreedy = segments.some((segment) => 'label' in segment && segment.greedy);
  const given = !isGreedy && steps.at(-1) === '' ? steps.slice(0, -1) : steps;
  const labels: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const step = given[index];
    if (step === undefined) return undefined;
    if ('literal' in segment) {
      if (segment.literal !== step) return undefined;
    } else {
      labels[segment.label] = segment.greedy ? given.slice(index).join('/') : step;
      if (labels[segment.label] === '') return undefined;
      if (segment.greedy) return labels;
    }
  }
  return given.length === segments.length ? labels : undefined;
}

const hasLiterals = (pattern: Pattern, { params }: WireRequest) =>
  pattern.literals.every(([name, value]) => params.has(name) && (value === '' || params.get(name) === value));

/** Literal steps first, then literal parameters, then how well the required parameters fit, then the SDK's own hint. */
function rankOf(pattern: Pattern, { params, headers }: WireRequest): number[] {
  const present = [
    ...pattern.requiredQuery.map((name) => params.has(name)),
    ...pattern.requiredHeaders.map((name) => headers[name] !== undefined),
  ];
  const absent = present.filter((is) => !is).length;
  return [
    pattern.segments.filter((segment) => 'literal' in segment).length,
    pattern.literals.length,
    absent > 0 ? -absent : present.length,
    pattern.id !== undefined && pattern.id === params.get('x-id') ? 1 : 0,
  ];
}

function isHigher(a: readonly number[], b: readonly number[]): boolean {
  const index = a.findIndex((value, i) => value !== b[i]);
  return index >= 0 && a[index]! > b[index]!;
}

/** The operation of a request, or the error that AWS returns when there is none. */
export function requireRoute(request: WireRequest, model: ServiceModel): RestMatch {
  const match = matchRoute(request, request.path, model);
  if (match !== undefined) return match;
  throw new AwsError('UnknownOperationException', `${model.id} has nothing at ${request.method} ${request.path}`, 404);
}

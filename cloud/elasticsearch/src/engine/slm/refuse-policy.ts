import type { Document } from '@drover/formats';
import { ElasticsearchError, type Failure } from '../errors.ts';
import { parseTimeMs } from '../values/units.ts';

/** The faults of the name that a policy gives its snapshots, in a server's words and order. */
export function nameProblems(name: string): string[] {
  const wrong: [boolean, string][] = [
    [name === '', 'cannot be empty'],
    [name.includes('#'), "must not contain '#'"],
    [name.startsWith('_'), "must not start with '_'"],
    [name.toLowerCase() !== name, 'must be lowercase'],
    // The word stands twice in a server's text, too.
    [
      /[\s\\/*?"<>|,]/.test(name),
      "must not contain contain the following characters [' ','\"','*',',','/','<','>','?','\\','|']",
    ],
  ];
  return wrong.filter(([found]) => found).map(([, why]) => `invalid snapshot name [${name}]: ${why}`);
}

/** A server reads the retention while it reads the policy, so that what is wrong with it is a mistake of the body. */
export function refuseRetention(retention: Document): void {
  const why = retentionProblem(retention);
  if (why === undefined) return;
  const type = 'x_content_parse_exception';
  const built: Failure = {
    type,
    reason: 'Failed to build [snapshot_retention] after last required field arrived',
    causedBy: { type: 'illegal_argument_exception', reason: why },
  };
  throw new ElasticsearchError({
    type,
    reason: '[1:1] [snapshot_lifecycle] failed to parse field [retention]',
    causedBy: built,
    rootCause: [built],
  });
}

function retentionProblem({ expire_after: after, min_count: min, max_count: max }: Document): string | undefined {
  if (after !== undefined && parseTimeMs(String(after)) === undefined)
    return `failed to parse setting [expire_after] with value [${after}] as a time value: unit is missing or unrecognized`;
  const [least, most] = [min, max].map((value) => (value === undefined ? undefined : Number(value)));
  if (least !== undefined && least < 1) return `minimum snapshot count must be at least 1, but was: ${least}`;
  if (most !== undefined && most < 1) return `maximum snapshot count must be at least 1, but was: ${most}`;
  if (least !== undefined && most !== undefined && least > most)
    return `minimum snapshot count ${least} cannot be larger than maximum snapshot count ${most}`;
  return undefined;
}

import { createHash } from 'node:crypto';

/** A function that already ran this often in one chain of requests is not run again. (Developer Guide, "Use Lambda recursive loop detection to prevent infinite loops".) */
export const loopLimit = 16;

/** The functions through which a chain of requests has gone, one entry per hop. */
export type Lineage = readonly string[];

export const hopsThrough = (lineage: Lineage, functionArn: string) =>
  lineage.filter((hop) => hop === hopName(functionArn)).length;

/** Hops are written as hashes, as in the trace header. */
export const hopName = (functionArn: string) =>
  createHash('sha256').update(functionArn.split(':').slice(0, 7).join(':')).digest('hex').slice(0, 8);

/** Counts beyond this carry no more information. */
const countLimit = 255;

/**
 * `Root=…;Parent=…;Sampled=0;Lineage=1:<function>:<count>|…`: the SDKs copy the header `X-Amzn-Trace-Id` from the
 * environment variable `_X_AMZN_TRACE_ID` into the requests that a function makes.
 */
export function traceHeader(root: string, parent: string, lineage: Lineage): string {
  const counts = new Map<string, number>();
  for (const hop of lineage) counts.set(hop, Math.min(countLimit, (counts.get(hop) ?? 0) + 1));
  const hops = [...counts].map(([hop, count]) => `1:${hop}:${count}`).join('|');
  return `Root=${root};Parent=${parent};Sampled=0${hops === '' ? '' : `;Lineage=${hops}`}`;
}

/** The lineage in a trace header. */
export function lineageOf(header: string | undefined): Lineage {
  const [, hops = ''] = /(?:^|;)Lineage=([^;]*)/.exec(header ?? '') ?? [];
  return hops.split('|').flatMap((hop) => {
    const [, name, count] = /^\d+:([0-9a-f]+):(\d+)$/.exec(hop) ?? [];
    return name === undefined ? [] : new Array<string>(Math.min(countLimit, Number(count))).fill(name);
  });
}

import { invalidRange, noSuchKey, notModified, preconditionFailed } from '../errors.ts';
import type { ObjectVersion } from '../model.ts';

export interface WriteConditions {
  readonly IfMatch?: string;
  readonly IfNoneMatch?: string;
}

const unquoted = (etag: string) => etag.replace(/^"|"$/g, '');

const matches = (wanted: string, etag: string) =>
  wanted === '*' || wanted.split(',').some((each) => unquoted(each.trim()) === unquoted(etag));

/** User Guide, "How to prevent object overwrites with conditional writes": 412, or 404 for If-Match without an object. */
export function checkWriteConditions(key: string, current: ObjectVersion | undefined, input: WriteConditions): void {
  if (input.IfNoneMatch !== undefined && current !== undefined && matches(input.IfNoneMatch, current.etag))
    throw preconditionFailed('If-None-Match');
  if (input.IfMatch === undefined) return;
  if (current === undefined) throw noSuchKey(key);
  if (!matches(input.IfMatch, current.etag)) throw preconditionFailed('If-Match');
}

export interface ReadConditions extends WriteConditions {
  readonly IfModifiedSince?: Date;
  readonly IfUnmodifiedSince?: Date;
}

/** API Reference, GetObject: 412 where the object is not the one wanted, 304 where the reader has it already. */
export function checkReadConditions(version: ObjectVersion, input: ReadConditions): void {
  const wholeSeconds = Math.floor(version.lastModified / 1000) * 1000;
  if (input.IfMatch !== undefined) {
    if (!matches(input.IfMatch, version.etag)) throw preconditionFailed('If-Match');
  } else if (input.IfUnmodifiedSince !== undefined && wholeSeconds > input.IfUnmodifiedSince.getTime())
    throw preconditionFailed('If-Unmodified-Since');
  if (input.IfNoneMatch !== undefined) {
    if (matches(input.IfNoneMatch, version.etag)) throw notModified();
  } else if (input.IfModifiedSince !== undefined && wholeSeconds <= input.IfModifiedSince.getTime())
    throw notModified();
}

interface Range {
  readonly from: number;
  /** The last byte, included. */
  readonly to: number;
}

/** `bytes=0-9`, `bytes=5-` or `bytes=-5`; anything else is ignored, as S3 does with what it cannot read. */
export function parseRange(range: string | undefined, length: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  if (from >= length || from > to) throw invalidRange();
  return { from, to };
}

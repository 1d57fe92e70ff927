import { illegalArgument } from '../../../engine/errors.ts';
import { isXObject, type XObject } from '../../../engine/values/value.ts';

/** A yes or no in the body of a snapshot or restore request: also as text, but nothing else. */
export function snapshotFlag(body: XObject, name: string, otherwise: boolean): boolean {
  const value = body[name];
  if (value === undefined || value === null) return otherwise;
  const text = String(value);
  if (text === 'true' || text === 'false') return text === 'true';
  throw illegalArgument(`Could not convert [${name}] to boolean`, {
    type: 'illegal_argument_exception',
    reason: `Failed to parse value [${text}] as only [true] or [false] are allowed.`,
  });
}

/** Refuses lists and objects that are none. */
export function refuseMalformed(body: XObject): void {
  for (const name of ['indices', 'feature_states'])
    if (body[name] !== undefined && typeof body[name] !== 'string' && !Array.isArray(body[name]))
      throw illegalArgument(`malformed ${name} section, should be an array of strings`);
  if (body.metadata !== undefined && body.metadata !== null && !isXObject(body.metadata))
    throw illegalArgument('malformed metadata, should be an object');
}

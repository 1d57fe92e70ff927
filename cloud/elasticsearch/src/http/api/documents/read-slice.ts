import type { Value } from '@drover/formats';
import type { Slice } from '../../../engine/documents/slice.ts';
import { NotModelled } from '../../../engine/errors.ts';
import { isDocument } from '../../../engine/values/value.ts';
import { RestError } from '../../responses/rest-error.ts';

/** Reads `slice` of a search or of the source of a reindex. */
export function readSlice(value: Value): Slice | undefined {
  if (value === undefined) return undefined;
  const { id, max, ...rest } = isDocument(value) ? value : {};
  const other = Object.keys(rest)[0];
  if (other !== undefined) throw new NotModelled(`[${other}] of [slice]`);
  const slice = { id: Number(id), max: Number(max) };
  if (!(slice.max > 1)) throw refused('max must be greater than 1');
  if (!(slice.id >= 0)) throw refused('id must be greater than or equal to 0');
  if (slice.id >= slice.max) throw refused('max must be greater than id');
  return slice;
}

const refused = (reason: string) =>
  new RestError(400, {
    type: 'x_content_parse_exception',
    reason: '[1:2] [slice] failed to parse',
    causedBy: { type: 'illegal_argument_exception', reason },
  });

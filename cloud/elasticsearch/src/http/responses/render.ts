import type { HttpResponse } from '@drover/cloud-engine';
import type { Value } from '@drover/formats';
import { ElasticsearchError } from '../../engine/errors.ts';
import { filterByPath } from '../../engine/values/filter-path.ts';
import type { Call } from '../call.ts';
import { renderHelp, renderObjects, renderText, type TableOptions } from '../cat/table.ts';
import { encode } from '../formats/codec.ts';
import type { Format, MediaType } from '../formats/media-types.ts';
import type { Reply } from '../routes/route.ts';
import { errorBody, headersOf, PlainRestError, statusOf } from './rest-error.ts';

/** How the caller wants the response written. */
export interface Rendering {
  readonly format: Format;
  /** `Content-Type` of the response. */
  readonly type: string;
  readonly pretty: boolean;
  readonly params: ReadonlyMap<string, string>;
  /** A structured format was requested: cat tables come as data then. */
  readonly explicit?: boolean;
  readonly accept?: MediaType | undefined;
}

const plainText = 'text/plain; charset=UTF-8';

export function render(reply: Reply, rendering: Rendering, call: Call): HttpResponse {
  const status = reply.status ?? 200;
  const headers = reply.headers ?? {};
  if (reply.table !== undefined) return renderTable(reply, rendering, call);
  if (reply.bytes !== undefined)
    return { status, headers: { ...headers, 'content-type': reply.bytes.type }, body: reply.bytes.content };
  if (reply.text !== undefined) return { status, headers: { ...headers, 'content-type': plainText }, body: reply.text };
  if (reply.body === undefined) return { status, headers: { 'content-type': plainText, ...headers }, body: '' };
  const pretty = rendering.params.has('pretty') ? rendering.pretty : (reply.pretty ?? false);
  return structured(status, headers, reply.body, { ...rendering, pretty });
}

function structured(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Value,
  rendering: Rendering,
  filter = true,
): HttpResponse {
  const path = filter ? rendering.params.get('filter_path') : undefined;
  const shown = path === undefined || path === '' ? body : filterByPath(body, path);
  return {
    status,
    headers: { ...headers, 'content-type': rendering.type },
    body: encode(shown, rendering.format, rendering.pretty),
  };
}

function renderTable(reply: Reply, rendering: Rendering, call: Call): HttpResponse {
  const table = reply.table!;
  const headers = reply.headers ?? {};
  if (call.flag('help'))
    return { status: 200, headers: { ...headers, 'content-type': plainText }, body: renderHelp(table.columns) };
  const options: TableOptions = {
    headings: call.text('h'),
    sort: call.text('s'),
    verbose: call.flag('v'),
    bytes: call.text('bytes'),
    time: call.text('time'),
  };
  if (rendering.explicit === true) return structured(200, headers, renderObjects(table, options), rendering);
  return { status: 200, headers: { ...headers, 'content-type': plainText }, body: renderText(table, options) };
}

/** Errors come in the requested format, whole: `filter_path` does not apply to them. */
export function renderError(error: unknown, rendering: Rendering): HttpResponse {
  if (error instanceof ElasticsearchError)
    return structured(statusOf(error), headersOf(error), errorBody(error), rendering, false);
  if (error instanceof PlainRestError) return structured(error.status, error.headers, error.body, rendering, false);
  throw error;
}

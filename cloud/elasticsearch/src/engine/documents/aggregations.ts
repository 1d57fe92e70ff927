import { ElasticsearchError } from '../errors.ts';
import { Double, isXObject, type XObject, type XValue } from '../values/value.ts';
import { valuesAt } from './query.ts';
import type { StoredDocument } from './shard-store.ts';

/** The few aggregations that operators' checks use. Others are refused as unknown. */
export function aggregate(request: XObject, documents: readonly StoredDocument[]): XObject {
  return Object.fromEntries(Object.entries(request).map(([name, body]) => [name, one(name, body, documents)]));
}

function one(name: string, body: XValue, documents: readonly StoredDocument[]): XObject {
  if (!isXObject(body))
    throw new ElasticsearchError({
      type: 'parsing_exception',
      reason: `Aggregation definition for [${name} starts with a [VALUE_STRING], expected a [START_OBJECT].`,
    });
  const type = Object.keys(body).find((key) => key !== 'aggs' && key !== 'aggregations' && key !== 'meta');
  const definition = type === undefined ? undefined : body[type];
  const field = isXObject(definition) ? String(definition.field).replace(/\.keyword$/, '') : '';
  const values = () =>
    documents.flatMap((document) => (field === '_id' ? [document.id] : valuesAt(document.source, field)));
  const numbers = () => values().map(Number);
  switch (type) {
    case 'value_count':
      return { value: values().length };
    case 'cardinality':
      return { value: new Set(values().map(String)).size };
    case 'sum':
      return { value: new Double(numbers().reduce((total, value) => total + value, 0)) };
    case 'avg':
      return {
        value: numbers().length === 0 ? null : numbers().reduce((total, value) => total + value, 0) / numbers().length,
      };
    case 'min':
      return { value: numbers().length === 0 ? null : new Double(Math.min(...numbers())) };
    case 'max':
      return { value: numbers().length === 0 ? null : new Double(Math.max(...numbers())) };
    case 'terms':
      return terms(body, isXObject(definition) ? Number(definition.size ?? 10) : 10, field, documents);
    default:
      throw new ElasticsearchError({
        type: 'parsing_exception',
        reason: `Unknown aggregation type [${type}]`,
        details: { line: 1, col: 1 },
        causedBy: { type: 'named_object_not_found_exception', reason: `[1:1] unknown field [${type}]` },
      });
  }
}

function terms(body: XObject, size: number, field: string, documents: readonly StoredDocument[]): XObject {
  const groups = new Map<string, { key: XValue; documents: StoredDocument[] }>();
  for (const document of documents)
    for (const value of new Set(valuesAt(document.source, field))) {
      const group = groups.get(String(value));
      if (group === undefined) groups.set(String(value), { key: value, documents: [document] });
      else group.documents.push(document);
    }
  const ordered = [...groups.values()].sort(
    (a, b) => b.documents.length - a.documents.length || (String(a.key) < String(b.key) ? -1 : 1),
  );
  const inner = body.aggs ?? body.aggregations;
  const shown = ordered.slice(0, size);
  return {
    doc_count_error_upper_bound: 0,
    sum_other_doc_count: ordered.slice(size).reduce((total, group) => total + group.documents.length, 0),
    buckets: shown.map((group) => ({
      key: group.key,
      doc_count: group.documents.length,
      ...(isXObject(inner) ? aggregate(inner, group.documents) : {}),
    })),
  };
}

import { FromStringShapeDeserializer, type NormalizedSchema, ToStringShapeSerializer } from '../schema/sdk-schemas.ts';

/** The place of a text decides how a date without a format of its own is written. */
type TextPlace = 'query-form' | 'http-binding';

const settingsOf = (place: TextPlace) => ({
  // 5 is RFC 3339; HTTP bindings make of it HTTP dates in headers.
  timestampFormat: { useTrait: true, default: 5 as const },
  httpBindings: place === 'http-binding',
});

const readers = {
  'query-form': new FromStringShapeDeserializer(settingsOf('query-form')),
  'http-binding': new FromStringShapeDeserializer(settingsOf('http-binding')),
};
const writer = new ToStringShapeSerializer(settingsOf('http-binding'));

const numberPattern = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^NaN$|^-?Infinity$/;

/** Reads a scalar; throws when the text is no such scalar. */
export function readScalar(schema: NormalizedSchema, text: string, place: TextPlace): unknown {
  if (schema.isNumericSchema() && !numberPattern.test(text.trim())) throw new Error(`'${text}' is not a number`);
  if (schema.isBooleanSchema() && !/^(true|false)$/i.test(text)) throw new Error(`'${text}' is not a boolean`);
  return readers[place].read(schema, text);
}

/** Writes what stands in a header. */
export function writeScalar(schema: NormalizedSchema, value: unknown): string {
  writer.write(schema, value);
  return writer.flush();
}

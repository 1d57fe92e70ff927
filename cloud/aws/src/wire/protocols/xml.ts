import { remember } from '../remember.ts';
import type { ErrorShape } from '../schema/error-shape.ts';
import { NormalizedSchema, type StaticStructureSchema, XmlCodec } from '../schema/sdk-schemas.ts';

const settings = (xmlNamespace?: string) =>
  ({
    timestampFormat: { useTrait: true, default: 5 as const },
    httpBindings: false,
    serviceNamespace: '',
    ...(xmlNamespace === undefined ? {} : { xmlNamespace }),
  }) as ConstructorParameters<typeof XmlCodec>[0];

type XmlSerializer = ReturnType<XmlCodec['createSerializer']>;
const serializers = new Map<string | undefined, XmlSerializer>();
const deserializer = new XmlCodec(settings()).createDeserializer();

/** Writes a structure as XML; its root carries the namespace. */
export function writeXml(schema: NormalizedSchema, value: unknown, xmlNamespace?: string): string {
  const serializer = remember(serializers, xmlNamespace, () => new XmlCodec(settings(xmlNamespace)).createSerializer());
  serializer.write(schema, value);
  return serializer.flush() as string;
}

/** Reads a structure from XML, whatever its root is called. */
export const readXml = (schema: NormalizedSchema, bytes: Uint8Array): unknown => deserializer.read(schema, bytes);

/** An error's members beside the message, without a root. */
export function xmlMembers(shape: ErrorShape): string {
  if (shape.members.length === 0) return '';
  const [names, schemas] = [shape.members.map(([name]) => name), shape.members.map(([, schema]) => schema)];
  const raw = [3, 'wire', 'Members', 0, names, schemas] as unknown as StaticStructureSchema;
  const text = writeXml(
    NormalizedSchema.of(raw),
    Object.fromEntries(shape.members.map(([name, , value]) => [name, value])),
  );
  return text.slice(text.indexOf('>') + 1, text.lastIndexOf('<'));
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character]!);

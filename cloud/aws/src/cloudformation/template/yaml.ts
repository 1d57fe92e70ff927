import { type CollectionTag, parseDocument, type ScalarTag, type Tags, visit, YAMLMap, type YAMLSeq } from 'yaml';
import { templateFormatError } from '../errors.ts';
/** Functions with a short form, `!Sub` for `Fn::Sub` (User Guide, "Intrinsic function reference"). */
import shortFunctions from './short-functions.json' with { type: 'json' };

/** YAML 1.1 tags that CloudFormation does not support, and times of day, which stay text. */
const unsupported = /:(timestamp|binary|omap|pairs|set|merge)$/;

/** Reads a YAML template with the short forms of the intrinsic functions. */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text, { schema: 'yaml-1.1', customTags: withShortForms });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw templateFormatError(`YAML not well-formed. ${oneLine(problem)}`);
  visit(document, {
    Alias: () => {
      throw templateFormatError('YAML aliases are not allowed in CloudFormation templates');
    },
  });
  return document.toJS();
}

const oneLine = (problem: Error) => problem.message.split('\n')[0]!.replace(/:$/, '');

const withShortForms = (tags: Tags): Tags => [
  ...tags.filter((tag) => typeof tag === 'string' || !(unsupported.test(tag.tag) || isTimeOfDay(tag))),
  ...shortFunctions.flatMap((name) => shortForms(`!${name}`, `Fn::${name}`)),
  ...shortForms('!Ref', 'Ref'),
  ...shortForms('!Condition', 'Condition'),
];

const isTimeOfDay = (tag: ScalarTag | CollectionTag) => 'format' in tag && tag.format === 'TIME';

const shortForms = (tag: string, name: string): (ScalarTag | CollectionTag)[] => [
  { tag, resolve: (text: string) => ({ [name]: name === 'Fn::GetAtt' ? splitAttribute(text) : text }) },
  { tag, collection: 'seq', resolve: (value) => wrap(name, value) },
  { tag, collection: 'map', resolve: (value) => wrap(name, value) },
];

/** `Resource.Attribute.With.Dots`: only the first dot separates. */
function splitAttribute(text: string): string | [string, string] {
  const dot = text.indexOf('.');
  return dot < 0 ? text : [text.slice(0, dot), text.slice(dot + 1)];
}

function wrap(name: string, value: YAMLMap | YAMLSeq): YAMLMap {
  const map = new YAMLMap();
  map.set(name, value);
  return map;
}

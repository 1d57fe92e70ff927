import type { Document, Value } from '@drover/formats';
import {
  ElasticsearchError,
  illegalArgument,
  parseError,
  resourceNotFound,
  validationFailed,
} from '../../../engine/errors.ts';
import { normalizeIndexSettings, refuseIndexSettings } from '../../../engine/indices/index-settings.ts';
import { readAliases } from '../../../engine/indices/read-aliases.ts';
import { type ClusterState, type Template, withEntry } from '../../../engine/state/cluster-state.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import { flattenSettings, nestSettings } from '../../../engine/values/flat-settings.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { aliasesBody } from './indices.ts';

export const templateRoutes: readonly Endpoint[] = [
  {
    api: 'indices.put_template',
    action: 'indices:admin/template/put',
    params: ['include_type_name'],
    run: putLegacy,
  },
  {
    api: 'indices.put_index_template',
    action: 'indices:admin/index_template/put',
    run: putComposable,
  },
  {
    api: 'indices.get_index_template',
    action: 'indices:admin/index_template/get',
    also: ['HEAD /_index_template', 'HEAD /_index_template/{name}'],
    run: (call) => getNamed(call, 'indexTemplates', 'index_templates', 'index_template', 'index template'),
  },
  {
    api: 'cluster.put_component_template',
    action: 'cluster:admin/component_template/put',
    run: putComponent,
  },
  {
    api: 'cluster.get_component_template',
    action: 'cluster:admin/component_template/get',
    also: ['HEAD /_component_template', 'HEAD /_component_template/{name}'],
    run: (call) =>
      getNamed(call, 'componentTemplates', 'component_templates', 'component_template', 'component template'),
  },
];

type Kind = 'legacyTemplates' | 'indexTemplates' | 'componentTemplates';

async function store(call: Call, kind: Kind, body: Document): Promise<Reply> {
  const name = call.text('name')!;
  refuseTemplateName(name);
  const { core } = await call.master();
  if (call.flag('create') && core.state[kind].has(name))
    throw illegalArgument(
      kind === 'legacyTemplates'
        ? `index_template [${name}] already exists`
        : `${kind === 'componentTemplates' ? 'component' : 'index'} template [${name}] already exists`,
    );
  const template: Template = { name, body };
  core.update((state) => ({ ...state, [kind]: withEntry(state[kind], name, template) }) as ClusterState);
  return { body: { acknowledged: true } };
}

function checkedSettings(settings: Value): Document {
  const flat = normalizeIndexSettings(flattenSettings(isDocument(settings) ? settings : {}));
  const refusal = refuseIndexSettings(flat);
  if (refusal !== undefined) throw refusal;
  return nestSettings(flat as Record<string, Value>);
}

const patternsOf = (value: Value) =>
  Array.isArray(value) ? value.map(String) : value === undefined ? [] : String(value).split(',');

async function putLegacy(call: Call): Promise<Reply> {
  if (call.major >= 8) call.warnings.push('Legacy index templates are deprecated in favor of composable templates.');
  if (call.body === undefined) throw parseError('request body is required');
  const body = call.object();
  const patterns = patternsOf(body.index_patterns);
  if (patterns.length === 0) throw validationFailed(['index patterns are missing']);
  const mappings = isDocument(body.mappings) ? body.mappings : {};
  return store(call, 'legacyTemplates', {
    order: Number(body.order ?? call.text('order') ?? 0),
    ...(body.version === undefined ? {} : { version: body.version }),
    index_patterns: patterns,
    settings: checkedSettings(body.settings),
    mappings,
    aliases: aliasesBody(readAliases(isDocument(body.aliases) ? body.aliases : {})),
  });
}

const componentFields = ['template', 'version', '_meta', 'deprecated', 'created_date_millis', 'modified_date_millis'];
const composableFields = [
  ...componentFields,
  'index_patterns',
  'composed_of',
  'priority',
  'data_stream',
  'allow_auto_create',
  'ignore_missing_component_templates',
];

function refuseUnknown(body: Document, what: string, known: readonly string[]): void {
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new ElasticsearchError({
      type: 'x_content_parse_exception',
      reason: `[1:2] [${what}] unknown field [${unknown}]`,
    });
}

function refuseTemplateName(name: string): void {
  const problems = [
    ...(name.includes(' ') ? ['name must not contain a space'] : []),
    ...(name.includes(',') ? ["name must not contain a ','"] : []),
    ...(name.includes('#') ? ["name must not contain a '#'"] : []),
    ...(name.includes('*') ? ["name must not contain a '*'"] : []),
    ...(name.startsWith('_') ? ["name must not start with '_'"] : []),
    ...(name.toLowerCase() === name ? [] : ['name must be lower cased']),
  ];
  if (problems.length === 0) return;
  const { reason } = validationFailed(problems).failure;
  throw new ElasticsearchError({
    type: 'invalid_index_template_exception',
    reason: `index_template [${name}] invalid, cause [${reason}]`,
  });
}

function select(templates: ReadonlyMap<string, Template>, names: readonly string[]): Template[] {
  if (names.length === 0) return [...templates.values()];
  return [...templates.values()].filter(({ name }) => names.some((pattern) => wildcardToRegExp(pattern).test(name)));
}

async function putComposable(call: Call): Promise<Reply> {
  if (call.body === undefined) throw parseError('request body is required');
  const body = call.object();
  if (body.index_patterns === undefined) throw illegalArgument('Required [index_patterns]');
  refuseUnknown(body, 'index_template', composableFields);
  const patterns = patternsOf(body.index_patterns);
  if (patterns.length === 0) throw illegalArgument('There must be at least one pattern, zero given');
  const template = isDocument(body.template)
    ? {
        template: {
          ...body.template,
          ...(body.template.settings === undefined ? {} : { settings: checkedSettings(body.template.settings) }),
          ...(isDocument(body.template.aliases) ? { aliases: aliasesBody(readAliases(body.template.aliases)) } : {}),
        },
      }
    : {};
  return store(call, 'indexTemplates', {
    ...body,
    index_patterns: patterns,
    ...template,
    composed_of: patternsOf(body.composed_of),
  });
}

async function putComponent(call: Call): Promise<Reply> {
  const body = call.object();
  refuseUnknown(body, 'component_template', componentFields);
  if (!isDocument(body.template)) throw illegalArgument('Required [template]');
  return store(call, 'componentTemplates', {
    ...body,
    template: {
      ...body.template,
      ...(body.template.settings === undefined ? {} : { settings: checkedSettings(body.template.settings) }),
    },
  });
}

async function getNamed(call: Call, kind: Kind, list: string, key: string, what: string): Promise<Reply> {
  const state = await call.state();
  const names = call.list('name');
  const chosen = select(state[kind], names);
  if (chosen.length === 0 && names.some((name) => !name.includes('*')))
    throw resourceNotFound(`${what} matching [${names.join(',')}] not found`);
  return { body: { [list]: chosen.map(({ name, body }) => ({ name, [key]: body })) } };
}

import type { Document, Value } from '@drover/formats';
import {
  ElasticsearchError,
  illegalArgument,
  NotModelled,
  parseError,
  resourceNotFound,
  validationFailed,
} from '../../../engine/errors.ts';
import { normalizeIndexSettings, refuseIndexSettings } from '../../../engine/indices/index-settings.ts';
import { readMappings } from '../../../engine/indices/mappings.ts';
import { readAliases } from '../../../engine/indices/read-aliases.ts';
import { type ClusterState, type Template, withEntry } from '../../../engine/state/cluster-state.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import { flattenSettings, nestSettings } from '../../../engine/values/flat-settings.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
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
    run: getComposable,
  },
  {
    api: 'indices.delete_template',
    action: 'indices:admin/template/delete',
    run: (call) => remove(call, 'legacyTemplates'),
  },
  {
    api: 'indices.delete_index_template',
    action: 'indices:admin/index_template/delete',
    run: (call) => remove(call, 'indexTemplates'),
  },
];

type Kind = 'legacyTemplates' | 'indexTemplates';

async function store(call: Call, kind: Kind, body: Document): Promise<Reply> {
  const name = call.text('name')!;
  refuseTemplateName(name);
  const { core } = await call.master();
  if (call.flag('create') && core.state[kind].has(name))
    throw illegalArgument(
      `${kind === 'legacyTemplates' ? 'index_template' : 'index template'} [${name}] already exists`,
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
  if (call.major >= 8) readMappings(mappings, false, call.major);
  return store(call, 'legacyTemplates', {
    order: Number(body.order ?? call.text('order') ?? 0),
    ...(body.version === undefined ? {} : { version: body.version }),
    index_patterns: patterns,
    settings: checkedSettings(body.settings),
    mappings,
    aliases: aliasesBody(readAliases(isDocument(body.aliases) ? body.aliases : {})),
  });
}

const composableFields = [
  ...['index_patterns', 'template', 'priority', 'data_stream', 'allow_auto_create', 'version', '_meta', 'deprecated'],
  ...['composed_of', 'ignore_missing_component_templates', 'created_date_millis', 'modified_date_millis'],
];

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
  const unknown = Object.keys(body).find((key) => !composableFields.includes(key));
  if (unknown !== undefined)
    throw new ElasticsearchError({
      type: 'x_content_parse_exception',
      reason: `[1:2] [index_template] unknown field [${unknown}]`,
    });
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
  if (patternsOf(body.composed_of).length > 0) throw new NotModelled('component templates');
  return store(call, 'indexTemplates', { ...body, index_patterns: patterns, ...template, composed_of: [] });
}

async function getComposable(call: Call): Promise<Reply> {
  const { indexTemplates } = await call.state();
  const names = call.list('name');
  const chosen = select(indexTemplates, names);
  if (chosen.length === 0 && names.some((name) => !name.includes('*')))
    throw resourceNotFound(`index template matching [${names.join(',')}] not found`);
  return { body: { index_templates: chosen.map(({ name, body }) => ({ name, index_template: body })) } };
}

async function remove(call: Call, kind: Kind): Promise<Reply> {
  const { core } = await call.master();
  const names = call.list('name');
  const gone = new Set(select(core.state[kind], names).map(({ name }) => name));
  const missing = names.filter((name) => !name.includes('*') && !gone.has(name));
  if (missing.length > 0)
    throw new RestError(404, {
      type: 'index_template_missing_exception',
      reason: `index_template [${missing.join(',')}] missing`,
    });
  core.update((state) => ({ ...state, [kind]: new Map([...state[kind]].filter(([name]) => !gone.has(name))) }));
  return { body: { acknowledged: true } };
}

import type { TypeName } from './metamodel.ts';

type JsonSchema = Record<string, unknown>;

/**
 * Corrections to the published schema, as small as they can be. The schema of `shutdown.get_node` writes the enums in
 * lower case and knows only `status` of a shard migration, which its own example contradicts: the server writes
 * upper case and the members that "Get shutdown API" describes.
 */
export function overlay(name: TypeName, schema: JsonSchema): JsonSchema {
  const key = `${name.namespace}:${name.name}`;
  const change = overlays[key];
  return change === undefined ? schema : change(schema);
}

const withMembers = (members: JsonSchema) => (schema: JsonSchema) => ({
  ...schema,
  properties: { ...(schema.properties as JsonSchema), ...members },
});

const overlays: Readonly<Record<string, (schema: JsonSchema) => JsonSchema>> = {
  'shutdown.get_node:ShutdownType': () => ({ enum: ['REMOVE', 'RESTART', 'REPLACE', 'SIGTERM'] }),
  'shutdown.get_node:ShutdownStatus': () => ({ enum: ['NOT_STARTED', 'IN_PROGRESS', 'STALLED', 'COMPLETE'] }),
  'shutdown.get_node:ShardMigrationStatus': withMembers({
    shard_migrations_remaining: { type: 'integer' },
    started_shards: { type: 'integer' },
    relocating_shards: { type: 'integer' },
    initializing_shards: { type: 'integer' },
    explanation: { type: 'string' },
    node_allocation_decision: { type: 'object' },
  }),
  'shutdown.get_node:NodeShutdownStatus': withMembers({
    target_node_name: { type: 'string' },
    allocation_delay: { type: 'string' },
    grace_period: { type: 'string' },
    shutdown_started: { type: 'string' },
  }),
};

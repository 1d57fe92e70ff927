import { ResourceFailure } from '../../errors.ts';
import type { Resolved } from './scope.ts';

/** The sources of dynamic references. */
export interface DynamicSources {
  secret(secretId: string, options: { jsonKey?: string; versionStage?: string; versionId?: string }): string;
  parameter(name: string): string | undefined;
}

const reference = /\{\{resolve:([a-z-]+):([^}]+)\}\}/g;

/** Values with every `{{resolve:…}}` looked up. Only for properties on their way to a provider: never stored, never shown. */
export function resolveDynamic(value: Resolved, sources: DynamicSources): Resolved {
  if (typeof value === 'string')
    return value.replace(reference, (_all, service, rest) => lookUp(service, rest, sources));
  if (Array.isArray(value)) return value.map((each) => resolveDynamic(each, sources));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolveDynamic(each, sources)]));
}

function lookUp(service: string, rest: string, sources: DynamicSources): string {
  if (service === 'secretsmanager') return lookUpSecret(rest, sources);
  if (service === 'ssm' || service === 'ssm-secure') return lookUpParameter(rest, sources);
  throw new ResourceFailure(
    `Template error: unknown dynamic reference service "${service}" in {{resolve:${service}:…}}`,
  );
}

/** `secret-id:secret-string:json-key:version-stage:version-id`; the id may be an ARN with colons of its own. */
function lookUpSecret(rest: string, sources: DynamicSources): string {
  const parts = rest.split(':');
  const idLength = parts[0] === 'arn' ? 7 : 1;
  const id = parts.slice(0, idLength).join(':');
  const [kind, jsonKey, versionStage, versionId] = parts.slice(idLength);
  if (kind !== undefined && kind !== '' && kind !== 'SecretString')
    throw new ResourceFailure(`Could not parse SecretString JSON: only SecretString is supported, found ${kind}`);
  return sources.secret(id, {
    ...(jsonKey ? { jsonKey } : {}),
    ...(versionStage ? { versionStage } : {}),
    ...(versionId ? { versionId } : {}),
  });
}

function lookUpParameter(rest: string, sources: DynamicSources): string {
  const name = rest.replace(/:\d+$/, '');
  const value = sources.parameter(name);
  if (value === undefined)
    throw new ResourceFailure(
      `Parameters: [ssm:${rest}] cannot be resolved: no parameter ${name} in the parameter store`,
    );
  return value;
}

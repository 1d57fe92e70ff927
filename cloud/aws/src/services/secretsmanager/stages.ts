import { currentStage, invalidParameter, previousStage, type StoredSecret } from './model.ts';

/**
 * Attaches staging labels to a version. A label belongs to one version at a time; the version that loses AWSCURRENT
 * gets AWSPREVIOUS. (Secrets Manager API Reference, PutSecretValue.)
 */
export function attachStages(secret: StoredSecret, versionId: string, stages: readonly string[]): void {
  const holder = holderOf(secret, currentStage);
  for (const stage of stages) moveStage(secret, stage, versionId);
  if (stages.includes(currentStage) && holder !== undefined && holder !== versionId)
    moveStage(secret, previousStage, holder);
  dropDeprecated(secret);
}

/** Takes a label off a version. AWSCURRENT cannot be left without a holder. (UpdateSecretVersionStage.) */
export function detachStage(secret: StoredSecret, versionId: string, stage: string): void {
  if (stage === currentStage)
    throw invalidParameter('You can only move staging label AWSCURRENT to a different secret version.');
  secret.versions.get(versionId)?.stages.delete(stage);
}

export function holderOf(secret: StoredSecret, stage: string): string | undefined {
  for (const version of secret.versions.values()) if (version.stages.has(stage)) return version.id;
  return undefined;
}

function moveStage(secret: StoredSecret, stage: string, versionId: string): void {
  for (const version of secret.versions.values()) version.stages.delete(stage);
  secret.versions.get(versionId)?.stages.add(stage);
}

/** About this many versions are kept; those without labels go first. (User Guide, "Secrets Manager quotas".) */
const versionLimit = 100;

function dropDeprecated(secret: StoredSecret): void {
  for (const version of secret.versions.values()) {
    if (secret.versions.size <= versionLimit) return;
    if (version.stages.size === 0) secret.versions.delete(version.id);
  }
}

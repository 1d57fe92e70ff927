import { AwsError } from '../../account/errors.ts';
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

/** "Secrets Manager removes outdated versions when there are more than 100, but it does not remove versions created less than 24 hours ago." */
const keptVersions = 100;
const keptMs = 86_400_000;
/** One a ten minutes for a day: what the API Reference of PutSecretValue says can be sustained. */
const versionQuota = 144;

/** Makes room for another version, or refuses it. */
export function makeRoom(secret: StoredSecret, now: number): void {
  for (const { id, stages, createdAt } of secret.versions.values()) {
    if (secret.versions.size < keptVersions) return;
    if (stages.size === 0 && now - createdAt >= keptMs) secret.versions.delete(id);
  }
  if (secret.versions.size >= versionQuota)
    throw new AwsError('LimitExceededException', 'The secret has reached the quota of versions.', 400);
}

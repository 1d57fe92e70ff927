import type { Clock, Logger } from '@drover/core';
import { secretMaxAgeMs } from '../../decide/decide-reconcile.ts';
import type { RunnerType } from '../../model/types.ts';
import type { TypeSecrets } from '../../ports.ts';
import { failureFields } from '../failure-fields.ts';

export interface LeftSecretsPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: TypeSecrets;
  /** The types whose groups exist: each has a sweep of its own. */
  find(): Promise<readonly RunnerType[]>;
}

/** A boot that the removal of its type cut off leaves a secret, and no sweep of that type comes any more. One that cannot be deleted is due again. */
export async function deleteLeftSecrets({ clock, log, secrets, find }: LeftSecretsPorts): Promise<void> {
  const listed = await secrets.list();
  const old = listed.filter(({ storedAt }) => clock.now() - storedAt >= secretMaxAgeMs);
  if (old.length === 0) return;
  const present = new Set((await find()).map(({ groupName }) => groupName));
  for (const { groupName, instanceId } of old.filter((secret) => !present.has(secret.groupName))) {
    const fields = { group: groupName, instance: instanceId };
    try {
      await secrets.delete(groupName, instanceId);
      log.info('the secret of a removed type is deleted', fields);
    } catch (error) {
      log.error('the secret of a removed type is left; it is tried again', { ...fields, ...failureFields(error) });
    }
  }
}

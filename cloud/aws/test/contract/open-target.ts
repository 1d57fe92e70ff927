import { againstAccount, type OpenTarget } from './target.ts';

/** Loads only what is needed: the clients of an account, or a world. */
export async function openTarget(): Promise<OpenTarget> {
  if (againstAccount) return (await import('./account-target.ts')).AccountTarget.open();
  return (await import('./embedded-target.ts')).EmbeddedTarget.open();
}

import type { Travel } from '@drover/observation/api';
import type { LocalOptions } from '../options.ts';

/** Messages to a process with a world. */
export type ToWorld =
  /** Deploys the session in `folder`, and replays what came in. */
  | { readonly kind: 'open'; readonly options: LocalOptions; readonly folder: string }
  /** Takes the place of the session in the state folder, and serves. */
  | { readonly kind: 'serve' }
  /** How far another process is that will take over. */
  | { readonly kind: 'travel'; readonly travel: Travel | undefined }
  | { readonly kind: 'stop' };

/** Messages from a process with a world. */
export type FromWorld =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'opened' }
  | { readonly kind: 'ready' }
  /** The page asks for another course of events from that moment on. */
  | { readonly kind: 'branch'; readonly at: number }
  /** The page asks for a course of events that was left. */
  | { readonly kind: 'return'; readonly to: number }
  | { readonly kind: 'failure'; readonly message: string; readonly remedy: string | undefined };

import type { B } from './planted-circle-b.ts';
export interface A {
  b: B;
}

import type { A } from './planted-circle-a.ts';
export interface B {
  a: A;
}

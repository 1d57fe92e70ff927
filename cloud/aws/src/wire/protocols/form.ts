import { remember } from '../remember.ts';

/** A form's keys taken apart at their dots: `Tags.member.1.Key` is four steps. */
export interface FormNode {
  value?: string;
  readonly children: Map<string, FormNode>;
}

const emptyNode = (): FormNode => ({ children: new Map() });

/** Reads `application/x-www-form-urlencoded`. */
export function readForm(text: string): FormNode {
  const root = emptyNode();
  for (const [key, value] of new URLSearchParams(text)) {
    let node = root;
    for (const step of key.split('.')) node = remember(node.children, step, emptyNode);
    node.value = value;
  }
  return root;
}

/** The children with a number for a name, in the order of the numbers. */
export function numbered(node: FormNode | undefined): FormNode[] {
  if (node === undefined) return [];
  return [...node.children]
    .filter(([step]) => /^\d+$/.test(step))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, child]) => child);
}

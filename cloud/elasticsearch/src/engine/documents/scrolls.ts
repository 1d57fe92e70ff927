import type { Random } from '@drover/core';
import { timeBasedId } from '../state/ids.ts';
import type { SearchRequest, SearchResult } from './search.ts';

interface OpenScroll {
  readonly result: SearchResult;
  readonly request: SearchRequest;
}

/** Limit of open scrolls (`search.max_open_scroll_context`); the oldest is closed for a new one. */
const openLimit = 500;

/** Searches that a caller pages through. */
export class Scrolls {
  #open = new Map<string, OpenScroll>();
  #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  open(scroll: OpenScroll): string {
    const id = timeBasedId(this.#random);
    if (this.#open.size >= openLimit) this.#end(this.#open.keys().next().value!);
    this.#open.set(id, scroll);
    for (const reads of scroll.result.reads) reads.openScrolls += 1;
    return id;
  }

  /** The next page, or undefined when there is no such search. */
  next(id: string): OpenScroll | undefined {
    const scroll = this.#open.get(id);
    if (scroll === undefined) return undefined;
    for (const reads of scroll.result.reads) {
      reads.queries += 1;
      reads.fetches += 1;
    }
    this.#open.set(id, {
      result: scroll.result,
      request: { ...scroll.request, from: scroll.request.from + scroll.request.size },
    });
    return scroll;
  }

  close(ids: readonly string[]): number {
    const ending = ids.includes('_all') ? [...this.#open.keys()] : ids;
    return ending.filter((id) => this.#end(id)).length;
  }

  #end(id: string): boolean {
    for (const reads of this.#open.get(id)?.result.reads ?? []) {
      reads.openScrolls -= 1;
      reads.scrolls += 1;
    }
    return this.#open.delete(id);
  }
}

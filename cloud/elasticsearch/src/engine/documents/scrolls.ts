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
    if (this.#open.size >= openLimit) this.#open.delete(this.#open.keys().next().value!);
    this.#open.set(id, scroll);
    return id;
  }

  /** The next page, or undefined when there is no such search. */
  next(id: string): OpenScroll | undefined {
    const scroll = this.#open.get(id);
    if (scroll === undefined) return undefined;
    this.#open.set(id, {
      result: scroll.result,
      request: { ...scroll.request, from: scroll.request.from + scroll.request.size },
    });
    return scroll;
  }

  close(ids: readonly string[]): number {
    if (ids.includes('_all')) {
      const count = this.#open.size;
      this.#open.clear();
      return count;
    }
    return ids.filter((id) => this.#open.delete(id)).length;
  }
}

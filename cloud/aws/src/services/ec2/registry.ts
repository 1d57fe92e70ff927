import type { Random } from '@drover/core';
import { type ArnScope, arn } from '../../account/arn.ts';
import type { TaggedResource } from './model.ts';

/** Makes ids and knows every tagged resource by its id, so that tags are found in one step. */
export class Registry {
  readonly #byId = new Map<string, TaggedResource>();
  readonly #scope: ArnScope;
  readonly #random: Random;

  constructor(scope: ArnScope, random: Random) {
    this.#scope = scope;
    this.#random = random;
  }

  /** `i-` and 17 hexadecimal digits. */
  newId(prefix: string): string {
    return `${prefix}-0${this.#random.hex(16)}`;
  }

  /** Id, ARN, type and tags of a new resource. */
  newResource<T extends string>(
    prefix: string,
    resourceType: T,
    tags: Readonly<Record<string, string>> = {},
  ): TaggedResource & { readonly resourceType: T } {
    const id = this.newId(prefix);
    return { id, arn: arn(this.#scope, 'ec2', `${resourceType}/${id}`), resourceType, tags: { ...tags } };
  }

  add<R extends TaggedResource>(resource: R): R {
    this.#byId.set(resource.id, resource);
    return resource;
  }

  remove(id: string): void {
    this.#byId.delete(id);
  }

  get(id: string): TaggedResource | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<TaggedResource> {
    return this.#byId.values();
  }
}

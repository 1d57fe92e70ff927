/** Where a repository keeps its files: as narrow as snapshots need it, so that any object storage can stand behind it. */
export interface ObjectStore {
  put(key: string, body: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keys that start with `prefix`. */
  list(prefix: string): Promise<readonly string[]>;
  delete(keys: readonly string[]): Promise<void>;
}

/** The location of a repository, from its settings. */
export interface RepositoryLocation {
  readonly type: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Opens a repository's storage as one node sees it. Each node has its own credentials; an access that they do not allow throws. */
export type OpenStore = (
  location: RepositoryLocation,
  node: { readonly name: string; readonly id: string },
) => ObjectStore;

/** Storage in memory, one for each bucket or directory, the same for all nodes. */
export function memoryStores(): OpenStore {
  const stores = new Map<string, MemoryStore>();
  return ({ type, settings }) => {
    const key = type === 'fs' ? `fs:${settings.location}` : `${type}:${settings.bucket ?? settings.container ?? ''}`;
    let store = stores.get(key);
    if (store === undefined) {
      store = new MemoryStore();
      stores.set(key, store);
    }
    return store;
  };
}

/** Objects in memory. */
export class MemoryStore implements ObjectStore {
  readonly objects = new Map<string, Uint8Array>();

  async put(key: string, body: Uint8Array): Promise<void> {
    this.objects.set(key, body);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.objects.get(key);
  }

  async list(prefix: string): Promise<readonly string[]> {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.objects.delete(key);
  }
}

/** A store below a path of another. */
export function below(store: ObjectStore, path: string): ObjectStore {
  const prefix = path === '' ? '' : `${path.replace(/\/+$/, '')}/`;
  if (prefix === '') return store;
  return {
    put: (key, body) => store.put(prefix + key, body),
    get: (key) => store.get(prefix + key),
    list: async (start) => (await store.list(prefix + start)).map((key) => key.slice(prefix.length)),
    delete: (keys) => store.delete(keys.map((key) => prefix + key)),
  };
}

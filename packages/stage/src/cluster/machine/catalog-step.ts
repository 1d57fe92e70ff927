/** One resource of a compiled catalog; which members it has depends on its kind. */
export interface CatalogStep {
  readonly file?: string;
  readonly content?: string;
  /** Where the content is, in the module. */
  readonly source?: string;
  readonly mode?: string;
  readonly owner?: string;
  readonly package?: string;
  readonly service?: string;
  readonly ensure?: string;
  readonly enable?: boolean;
  readonly exec?: string;
  readonly command?: string;
}

/** Catalogues by the names of their roles. */
export type Catalogs = Readonly<Record<string, readonly CatalogStep[]>>;

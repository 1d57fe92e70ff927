import type { ComponentChildren } from 'preact';

interface TilesByZoneProps<T> {
  readonly items: readonly T[];
  readonly zones: readonly string[];
  /** Text after the name of a zone. */
  readonly note?: (zone: string) => string;
  readonly tile: (item: T) => ComponentChildren;
}

/** The availability zones of some items, in order. */
export const zonesOf = (items: readonly { readonly zone: string }[]): string[] =>
  [...new Set(items.map(({ zone }) => zone))].sort();

/** A column of tiles for each availability zone. */
export const TilesByZone = <T extends { readonly zone: string }>({ items, zones, note, tile }: TilesByZoneProps<T>) => (
  <div class="zones">
    {zones.map((zone) => (
      <section key={zone} aria-label={`Zone ${zone}`}>
        <h3>
          {zone}
          {note?.(zone)}
        </h3>
        <ul class="tiles">{items.filter((item) => item.zone === zone).map(tile)}</ul>
      </section>
    ))}
  </div>
);

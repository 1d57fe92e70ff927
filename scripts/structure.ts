/**
 * Draws the structure of the repository from its import graph: `npm run structure` writes docs/images/structure.svg. A box is a package,
 * as wide as its lines of code; an arrow is an import (thin: a few, thick: many). A package is above those that it imports, on its floor.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { importGraph, packageFolders } from './check/import-graph.ts';
import { type Floor, floorOf, floors } from './lines/floors.ts';

interface Package {
  readonly name: string;
  lines: number;
  readonly imports: Map<string, number>;
}

const picture = 'docs/images/structure.svg';
const isTest = /(\.test\.ts$|\/test\/|\/testing\/|\/src\/testing\.ts$|test-support|-fixture\.ts$)/;
const packageOf = (path: string) =>
  packageFolders.includes(path.split('/')[0]!) ? path.split('/').slice(0, 2).join('/') : '';

function readPackages(): Map<string, Package> {
  const packages = new Map<string, Package>();
  const of = (name: string) => {
    const known = packages.get(name) ?? { name, lines: 0, imports: new Map<string, number>() };
    packages.set(name, known);
    return known;
  };
  for (const { source, dependencies } of importGraph(packageFolders).modules) {
    const from = packageOf(source);
    if (from === '' || isTest.test(source) || !/\.tsx?$/.test(source)) continue;
    const own = of(from);
    own.lines += readFileSync(source, 'utf8').split('\n').length;
    for (const { resolved } of dependencies) {
      const to = packageOf(resolved);
      if (to !== '' && to !== from) own.imports.set(to, (own.imports.get(to) ?? 0) + 1);
    }
  }
  return packages;
}

/** Rows of one floor from above: a package is above those of its floor that it imports. */
function rowsOf(floor: Floor, packages: ReadonlyMap<string, Package>): readonly (readonly Package[])[] {
  const own = [...packages.values()].filter(({ name }) => floorOf(name) === floor);
  const known = new Map<string, number>();
  const levelOf = ({ name, imports }: Package): number => {
    const level = known.get(name);
    if (level !== undefined) return level;
    const below = own.filter((one) => imports.has(one.name)).map(levelOf);
    known.set(name, Math.max(-1, ...below) + 1);
    return known.get(name)!;
  };
  const rows: Package[][] = [];
  for (const one of own.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const level = levelOf(one);
    while (rows.length <= level) rows.push([]);
    rows[level]!.push(one);
  }
  return rows.reverse();
}

/** Nearly every package imports it: its arrows would hide all others. */
const sharedPackage = 'packages/core';
const caption = `Floors from below, by who uses them. An arrow is an import; the thicker, the more. Arrows to ${sharedPackage}, which nearly every package imports, are left out.`;
const box = { height: 44, gap: 24, row: 96, margin: 32, label: 60 };
const widthOf = ({ lines, name }: Package) => Math.max(8 * name.length + 24, Math.round(Math.sqrt(lines) * 2.2));
const colours: Record<string, string> = { cloud: '#dbe7f6', packages: '#dff0df', apps: '#f9e7cf', examples: '#eeeeee' };

function draw(packages: ReadonlyMap<string, Package>): string {
  const bands = floors.toReversed().map((floor) => ({ floor, rows: rowsOf(floor, packages) }));
  const rows = bands.flatMap((band) => band.rows);
  const rowWidth = (row: readonly Package[]) => row.reduce((sum, one) => sum + widthOf(one) + box.gap, -box.gap);
  const width = Math.max(...rows.map(rowWidth)) + 2 * (box.margin + box.label);
  const place = new Map<string, { x: number; y: number; width: number }>();
  for (const [index, row] of rows.entries()) {
    let x = (width - rowWidth(row)) / 2;
    for (const one of row) {
      place.set(one.name, { x, y: box.margin + index * box.row, width: widthOf(one) });
      x += widthOf(one) + box.gap;
    }
  }
  const arrows = [...packages.values()].flatMap((one) =>
    [...one.imports]
      .filter(([to]) => to !== sharedPackage)
      .map(([to, count]) => {
        const [a, b] = [place.get(one.name)!, place.get(to)!];
        const [x1, y1, x2, y2] = [a.x + a.width / 2, a.y + box.height, b.x + b.width / 2, b.y];
        const bend = (y2 - y1) / 2;
        const path = `M${x1.toFixed(0)} ${y1} C${x1.toFixed(0)} ${y1 + bend} ${x2.toFixed(0)} ${y2 - bend} ${x2.toFixed(0)} ${y2}`;
        return `<path d="${path}" stroke-width="${Math.min(4, 0.8 + count / 20).toFixed(1)}"><title>${one.name} imports ${to}: ${count}</title></path>`;
      }),
  );
  const boxes = [...packages.values()].map((one) => {
    const { x, y, width: w } = place.get(one.name)!;
    const centre = (x + w / 2).toFixed(0);
    return [
      `<rect x="${x.toFixed(0)}" y="${y}" width="${w}" height="${box.height}" rx="6" fill="${colours[one.name.split('/')[0]!]}"/>`,
      `<text x="${centre}" y="${y + 19}">${one.name}</text>`,
      `<text x="${centre}" y="${y + 35}" class="lines">${(one.lines / 1000).toFixed(1)}k lines</text>`,
    ].join('');
  });
  let above = 0;
  const stripes = bands.map(({ floor, rows: own }, index) => {
    const y = box.margin + above * box.row - (box.row - box.height) / 2;
    above += own.length;
    const stripe = `<rect x="0" y="${y}" width="${width.toFixed(0)}" height="${own.length * box.row}" class="floor${index % 2}"/>`;
    return `${stripe}<text x="16" y="${y + 20}" class="floor">${floor}</text>`;
  });
  const bottom = box.margin + (rows.length - 1) * box.row + box.height;
  const height = bottom + box.margin + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" role="img">`,
    '<title>Packages of the repository and their imports</title>',
    '<style>text{font:13px system-ui,sans-serif;text-anchor:middle;fill:#222}.lines{font-size:11px;fill:#555}rect{stroke:#777}.floor0,.floor1{stroke:none;fill:#f6f7f9}.floor1{fill:#fff}.floor{text-anchor:start;font-weight:600}path{fill:none;stroke:#8a8f98;opacity:.65}</style>',
    '<rect width="100%" height="100%" fill="#fff" stroke="none"/>',
    ...stripes,
    ...arrows,
    ...boxes,
    `<text x="${(width / 2).toFixed(0)}" y="${bottom + 36}" class="lines">${caption}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

writeFileSync(picture, draw(readPackages()));
console.log(`wrote ${picture}`);

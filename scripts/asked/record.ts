/** Writes down, for each test file, what it asked of the embedded cloud. Loaded by vitest before each file. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { takeAsked } from '@drover/cloud-engine';
import { afterAll, expect } from 'vitest';
import { type AskedByFile, isRecorded, recordFolder } from './asked.ts';

takeAsked(); // Requests that another file of the same process left behind are not this file's.

afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath!);
  const names = takeAsked();
  const path = `${recordFolder}/${file.replaceAll('/', '__')}.json`;
  if (!isRecorded(process.env) || (names.length === 0 && !existsSync(path))) return;
  mkdirSync(recordFolder, { recursive: true });
  const record: AskedByFile = { file, names: names.sort() };
  writeFileSync(path, JSON.stringify(record));
});

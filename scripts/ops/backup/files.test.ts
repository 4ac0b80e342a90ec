// The contents of patients' files in a backup: progress, and files that differ from the manifest.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFiles } from './files.ts';
import { manifestFile, readManifest } from './manifest.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-files-'));
const content = 'encrypted';
const sha256 = createHash('sha256').update(content).digest('hex');
const files = Array.from({ length: 1_001 }, (_, index) => ({ key: `clinic/${index}`, bytes: content.length, sha256 }));

beforeAll(() => {
  mkdirSync(path.join(folder, 'files/clinic'), { recursive: true });
  for (const { key } of files) writeFileSync(path.join(folder, 'files', key), content);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('reading many files reports the progress', async () => {
  const lines: string[] = [];
  await readFiles(folder, { files }, (line) => lines.push(line));
  expect(lines).toEqual(['500 of 1001 files of patients so far', '1000 of 1001 files of patients so far']);
});

test('a file that differs from the manifest is reported', async () => {
  const [first] = files.map((file) => ({ ...file, bytes: 1 }));
  await expect(readFiles(folder, { files: first ? [first] : [] }, () => {})).rejects.toThrow(/^files\/clinic\/0 is damaged/);
});

test('a manifest that is not JSON is named', () => {
  writeFileSync(manifestFile(folder), '{');
  expect(() => readManifest(folder)).toThrow(`${manifestFile(folder)} is not the manifest of a backup`);
});

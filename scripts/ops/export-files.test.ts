import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { tempFolder } from '../dev/temp-folder.ts';
import { exportedName } from './export-files.ts';

const folder = tempFolder('export-files');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['short', 'radiografía.png', 'radiografía.png'],
  ['long', `${'a'.repeat(250)}.png`, `${'a'.repeat(196)}.png`],
  ['of characters of two bytes', `${'ñ'.repeat(120)}.png`, `${'ñ'.repeat(98)}.png`],
  ['of characters of four bytes, of which one would be cut', `${'🦷'.repeat(60)}a.png`, `${'🦷'.repeat(48)}a.png`],
])('the name of an exported file, %s, has whole characters and can be written', (_, name, shortened) => {
  const id = uuidv7();
  const written = exportedName({ id, name });
  expect(written).toBe(`${id} ${shortened}`);
  writeFileSync(path.join(folder, written), '');
});

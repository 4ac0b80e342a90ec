import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AUDIT_ACTIONS } from '@clinic/lib/audit/audit-actions.ts';
import { expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';

test('docs/audit-actions.md lists each action with its former name', () => {
  const page = readFileSync(path.join(PROJECT, 'docs/audit-actions.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([^`]+)` \| \S.* \| (?:`([^`]+)`)? ?\|$/gm)].map(([, action, former]) => [action, former ?? null]);
  expect(rows).toEqual(AUDIT_ACTIONS.map(({ action, former }) => [action, former]));
});

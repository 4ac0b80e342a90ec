// The README's own walk, from its own text: each block of curl lines is run in bash, and what it says comes back.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect, test } from '@jest/globals';
import type { Body } from './api.ts';

const run = promisify(execFile);
const PROJECT = path.resolve(import.meta.dirname, '..');
const README = readFileSync(path.join(PROJECT, 'README.md'), 'utf8');
const WRITTEN = 'http://localhost:8080';
const BETWEEN = '\u001e';

type Step = { title: string; commands: string; expected: Body };

/** A step is a bold title, a block of commands and a block of what they answer. */
function stepsOf(text: string): Step[] {
  const pattern = /\*\*([^*]+)\*\*(?:(?!```).)*?```sh\n(.*?)```\s+```json\n(.*?)```/gs;
  return [...text.matchAll(pattern)].map(([, title = '', commands = '', expected = '']) => ({ title, commands, expected: JSON.parse(expected) }));
}

/** The README shortens responses: real objects may have more fields, lists more items. */
function shortened(expected: Body): Body {
  if (Array.isArray(expected)) return expect.arrayContaining(expected.map(shortened));
  if (typeof expected === 'object' && expected !== null)
    return expect.objectContaining(Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, shortened(value)])));
  return expected;
}

test('the walk of the README goes as it says', async () => {
  const steps = stepsOf(README);
  expect(steps.map(({ title }) => title)).toHaveLength(README.split('```sh\n').length - 1);
  expect(steps.length).toBeGreaterThanOrEqual(5);
  // One shell for all, as a reader has, since later blocks use what earlier ones have set.
  const script = steps.map(({ commands }) => `${commands.replaceAll(WRITTEN, publicApi().baseUrl)}\nprintf '${BETWEEN}'\n`).join('');
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: PROJECT });
  const answers = stdout.split(BETWEEN).slice(0, -1);
  expect(answers).toHaveLength(steps.length);
  for (const [index, { title, expected }] of steps.entries()) {
    expect({ title, answer: JSON.parse(answers[index] ?? '') }).toEqual({ title, answer: shortened(expected) });
  }
});

test('every page and command that the README names is there', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8'));
  for (const [, script = ''] of README.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(script);
  const links = [...README.matchAll(/\]\((?!http)([^)]+)\)/g)].map(([, link = '']) => link);
  const missing = links.filter((link) => {
    try {
      readFileSync(path.join(PROJECT, link));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EISDIR';
    }
  });
  expect(missing).toEqual([]);
});

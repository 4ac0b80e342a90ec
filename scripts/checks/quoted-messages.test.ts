// The messages that pages for operators quote are those of the code, and the commands of the runbooks need only programs that an operator has.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';

const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const runbooks = globSync('docs/runbooks/*.md', { cwd: PROJECT }).map((file) => ({ file, text: read(file) }));

/** The code without comments. */
function codeIn(...folders: string[]): string {
  const exclude = ['**/node_modules/**', '**/*.test.ts', '**/testing/**'];
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,js}`, { cwd: PROJECT, exclude }));
  const lines = files.flatMap((file) => read(file).split('\n'));
  return lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)).join('\n');
}

test('every text by which a runbook finds log lines is logged', () => {
  const code = codeIn('lib', 'services', 'gateway');
  const searched = runbooks.flatMap(({ file, text }) => [
    ...[...text.matchAll(/grep (?:-E )?"([^"]+)"/g)].flatMap(([, pattern = '']) => pattern.split('|').map((words) => ({ file, words }))),
    ...[...text.matchAll(/log line `([^`…]+)`/g)].map(([, words = '']) => ({ file, words })),
  ]);
  expect(searched.length).toBeGreaterThan(20);
  expect(searched.filter(({ words }) => !code.includes(words))).toEqual([]);
});

test('the messages that docs/running.md explains are those of a start', () => {
  const [, table = ''] = read('docs/running.md').split('## When it does not start');
  const quoted = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message));
  expect(quoted.length).toBeGreaterThan(4);
  const code = codeIn('scripts', 'lib');
  const parts = quoted.flatMap((message) => message.split('…').map((part) => part.trim()));
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});

test('the programs of the commands in runbooks', () => {
  const PROGRAMS = ['docker', 'kubectl', 'npm', 'curl', 'openssl', 'df', 'timedatectl', 'chronyc'];
  const lines = runbooks.flatMap(({ file, text }) =>
    [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n')).map((line) => ({ file, line })),
  );
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter(({ line }) => !PROGRAMS.includes(line.split(' ')[0] ?? ''))).toEqual([]);
});

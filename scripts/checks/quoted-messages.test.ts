// The messages that pages for operators quote are those of the code, and the commands of the runbooks need only programs that an operator has.
import { expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';
import { isTest, readSources } from './source.ts';

const sources = readSources(PROJECT);
const runbooks = sources.filter(({ file }) => /^docs\/runbooks\/.*\.md$/.test(file));

/** The code without comments. */
const codeIn = (...folders: string[]): string =>
  sources
    .filter(({ file }) => folders.includes(file.split('/')[0] ?? '') && /\.(ts|js)$/.test(file) && !isTest(file))
    .flatMap(({ text }) => text.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)))
    .join('\n');

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
  const page = sources.find(({ file }) => file === 'docs/running.md')?.text ?? '';
  const [, table = ''] = page.split('## When it does not start');
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

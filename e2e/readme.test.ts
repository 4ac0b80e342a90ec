// Runs each block of commands or of TypeScript in the README and the guides, and compares the output with the block below it.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Body } from './api.ts';

const run = promisify(execFile);
const PROJECT = path.resolve(import.meta.dirname, '..');
const SDK = path.join(PROJECT, 'sdk/src');
const GUIDES = readdirSync(path.join(PROJECT, 'docs/guides')).map((name) => `docs/guides/${name}`);
const PAGES = ['README.md', ...GUIDES];
const BETWEEN = '\u001e';
const OPTIONS = { cwd: PROJECT, timeout: 600_000 };
const read = (page: string) => readFileSync(path.join(PROJECT, page), 'utf8');

/** The program with which a reader of the guides receives webhooks. */
const received: { body: string; headers: IncomingHttpHeaders }[] = [];
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push({ body, headers: request.headers });
  response.end('received');
});
beforeAll(() => new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening)));
afterAll(() => new Promise((closed) => receiver.close(closed)));

type Block = { page: string; code: string; shown: string | undefined; isJson: boolean };

/** The blocks of a language, each with the block of JSON or text that follows it. */
function blocksOf(page: string, language: 'sh' | 'ts'): Block[] {
  const fences = [...read(page).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => ({ name, text }));
  const shows = (name = '') => name === 'json' || name === 'text';
  expect(fences.filter(({ name }, at) => shows(name) && !['sh', 'ts'].includes(fences[at - 1]?.name ?? ''))).toEqual([]);
  return fences.flatMap(({ name, text }, at) => {
    const next = fences[at + 1];
    return name === language ? [{ page, code: text, shown: shows(next?.name) ? next?.text : undefined, isJson: next?.name === 'json' }] : [];
  });
}

/** Pages shorten responses: actual objects may have more fields, and lists more items. */
function shortened(expected: Body): Body {
  if (Array.isArray(expected)) return expect.arrayContaining(expected.map(shortened));
  if (typeof expected === 'object' && expected !== null)
    return expect.objectContaining(Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, shortened(value)])));
  return expected;
}

function here(code: string): string {
  const { port } = receiver.address() as AddressInfo;
  return code.replaceAll('http://localhost:8080', publicApi().baseUrl).replaceAll('http://localhost:9191', `http://127.0.0.1:${port}`);
}

/** Runs all blocks in one program, as a reader does, because later blocks use variables of earlier ones. Returns the output of each. */
async function walk(blocks: Block[], [program, ...args]: [string, ...string[]], mark: string, end = ''): Promise<string[]> {
  const code = blocks.map((block) => `${here(block.code)}\n${mark}\n`).join('') + end;
  const { stdout } = await run(program, [...args, code], OPTIONS);
  const printed = stdout.split(BETWEEN);
  expect(printed).toHaveLength(blocks.length + 1);
  for (const [at, { code, shown, isJson }] of blocks.entries()) {
    const answer = printed[at]?.trim() ?? '';
    if (shown !== undefined)
      expect({ code, answer: isJson ? JSON.parse(answer) : answer }).toEqual({ code, answer: isJson ? shortened(JSON.parse(here(shown))) : shown.trim() });
  }
  return printed;
}

const commands = (blocks: Block[]) => walk(blocks, ['bash', '-euo', 'pipefail', '-c'], `printf '${BETWEEN}'`);
const typescript = (page: string, end?: string) =>
  walk(
    blocksOf(page, 'ts').map((block) => ({
      ...block,
      code: block.code.replace("'@clinic/sdk'", `'${SDK}/index.ts'`).replace("'@clinic/sdk/webhooks'", `'${SDK}/webhooks.ts'`),
    })),
    [process.execPath, '--input-type=module-typescript', '--no-warnings', '-e'],
    `process.stdout.write('${BETWEEN}');`,
    end,
  );

test('the commands of the README have the output that it shows', async () => {
  const blocks = blocksOf('README.md', 'sh');
  expect(blocks.filter(({ shown }) => shown).length).toBeGreaterThanOrEqual(5);
  await commands(blocks);
});

const BEGIN = 'docs/guides/README.md';
const WEBHOOKS = 'docs/guides/events-and-webhooks.md';

test.each(GUIDES.filter((page) => page !== BEGIN && page !== WEBHOOKS))('the examples of %s have the output that it shows', async (page) => {
  await commands([...blocksOf(BEGIN, 'sh'), ...blocksOf(page, 'sh')]);
  if (blocksOf(page, 'ts').length > 0) await typescript(page);
});

test(`the examples of ${WEBHOOKS} have the output that it shows, and its receiver accepts exactly the deliveries`, async () => {
  const begin = blocksOf(BEGIN, 'sh');
  const printed = await commands([...begin, ...blocksOf(WEBHOOKS, 'sh')]);
  const { secret } = JSON.parse(printed[begin.length] ?? '') as { secret: string };
  const delivered = [...received]; // includes deliveries caused by other tests in the demo clinic
  expect(new Set(delivered.map(({ body }) => JSON.parse(body).type))).toEqual(new Set(['webhook.test', 'appointment.booked']));
  const forged = delivered.map(({ body, headers }) => ({ headers, body: body.replace('"type"', '"kind"') }));
  const deliver = `
    process.env.WEBHOOK_SECRET = '${secret}';
    for (const { body, headers } of ${JSON.stringify([...delivered, ...forged])})
      console.log((await receive(new Request('http://localhost', { method: 'POST', body, headers }))).status);`;
  const answers = (await typescript(WEBHOOKS, deliver)).at(-1) ?? '';
  expect(answers.match(/^\d+$/gm)).toEqual([...delivered.map(() => '204'), ...forged.map(() => '400')]);
  expect(answers).toContain('appointment.booked');
});

test('every page and command that the README and the guides name exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  for (const page of PAGES) {
    for (const [, script = ''] of read(page).matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(script);
    const links = [...read(page).matchAll(/\]\((?!http)([^)#]+)/g)].map(([, link = '']) => path.join(path.dirname(page), link));
    expect(links.filter((link) => !existsSync(path.join(PROJECT, link)))).toEqual([]);
    if (page === BEGIN) expect(links).toEqual(expect.arrayContaining(GUIDES.filter((guide) => guide !== BEGIN)));
  }
});

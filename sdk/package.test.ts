// The package as its users install it: packed, installed in a new project, type-checked and run there.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { minifySync } from '@swc/core';

const run = promisify(execFile);
const SDK = import.meta.dirname;
const PACKAGES = path.join(SDK, '../node_modules');
const NEEDED = ['openapi-fetch', 'openapi-typescript-helpers', 'standardwebhooks', 'fast-sha256', '@stablelib/base64'];
const TYPES = ['@types/node', 'undici-types'];
const MAX_GZIPPED = 15_000;

let project: string;
const installed = (...parts: string[]) => path.join(project, 'node_modules', ...parts);
const code = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'));

/** Packs folders into `project`, and returns the paths of the archives. */
async function pack(folders: string[], ...options: string[]): Promise<string[]> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project, ...options, ...folders], { cwd: SDK });
  return JSON.parse(stdout.slice(stdout.indexOf('['))).map(({ filename }: { filename: string }) => path.join(project, filename));
}

// The dependencies are packed from this project's node_modules, so that the test needs no registry.
beforeAll(async () => {
  project = mkdtempSync(path.join(os.tmpdir(), 'clinic-sdk-'));
  const own = await pack([SDK]);
  const needed = await pack(
    [...NEEDED, ...TYPES].map((name) => path.join(PACKAGES, name)),
    '--ignore-scripts',
  );
  writeFileSync(path.join(project, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...own, ...needed], { cwd: project });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('the examples of the README compile in a new TypeScript project', async () => {
  const lines = [...readFileSync(path.join(SDK, 'README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block ?? '');
  const declarations = 'declare const request: Request;\n';
  const wrong =
    '// @ts-expect-error a value that is not one of the enumeration\nstatus === "nope";\n// @ts-expect-error another type of webhook\nif (event.type === "webhook.test") event.data.payment;\n';
  writeFileSync(path.join(project, 'use.mts'), declarations + lines.join('\n') + wrong);
  const compilerOptions = { module: 'nodenext', target: 'es2022', types: ['node'], strict: true, noEmit: true };
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.mts'] }));
  const { stdout } = await run(path.join(PACKAGES, '.bin/tsc'), ['-p', project]).catch((error) => error);
  expect(stdout).toBe('');
});

test('the package runs in a new JavaScript project', async () => {
  const text = `import { createClinic, ClinicError } from '@clinic/sdk'; import { verifyWebhook } from '@clinic/sdk/webhooks';
    console.log(typeof createClinic({ baseUrl: 'http://localhost' }).get, ClinicError.name, typeof verifyWebhook);`;
  writeFileSync(path.join(project, 'use.mjs'), text);
  expect((await run(process.execPath, [path.join(project, 'use.mjs')], { cwd: project })).stdout).toBe('function ClinicError function\n');
});

test('the package is at most 15 kB minified and gzipped, including its dependencies', () => {
  const own = code(installed('@clinic/sdk/dist'));
  const needed = ['openapi-fetch/dist/index.mjs', 'standardwebhooks/dist/index.js', 'fast-sha256/sha256.js', '@stablelib/base64/lib/base64.js'];
  const all = [...own, ...needed.map((file) => readFileSync(installed(file), 'utf8'))];
  expect(gzipSync(all.map((text) => minifySync(text, { module: true }).code).join('')).length).toBeLessThanOrEqual(MAX_GZIPPED);
});

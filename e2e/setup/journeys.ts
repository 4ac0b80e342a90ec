// Runs end-to-end test files against a running product.
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { PROJECT } from '../../scripts/schemas.ts';

/** Resolves with Jest's report when all tests have passed; otherwise rejects with it. */
export async function runJourneys(product: PublicApi, files: string[]): Promise<string> {
  const { default: config } = (await import(path.join(PROJECT, 'jest.config.js'))) as { default: { projects: Record<string, unknown>[] } };
  const project = config.projects.find(({ displayName }) => displayName === `e2e-${product.topology}`);
  const own = { ...project, globalSetup: undefined, globalTeardown: undefined, rootDir: PROJECT, testMatch: files.map((file) => path.join(PROJECT, file)) };
  const jest = path.join(PROJECT, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [jest, '--config', JSON.stringify(own), '--testTimeout', '90000'], {
    cwd: PROJECT,
    env: { ...process.env, NODE_OPTIONS: '', [`CLINIC_PUBLIC_API_${product.topology.toUpperCase()}`]: JSON.stringify(product) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let report = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      report += text;
    });
  }
  const status = await new Promise((resolve) => child.once('close', resolve));
  if (status !== 0) throw new Error(report);
  return report;
}

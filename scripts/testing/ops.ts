// Runs a command of `npm run ops` against a running product, for the tests.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { PROJECT } from '../schemas.ts';

export type Ran = { status: number | null; stdout: string; stderr: string };

/** Runs `node scripts/run.js <words>` on a data folder. */
export function runScript(dataDir: string, ...words: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [path.join(PROJECT, 'scripts/run.js'), ...words], {
    cwd: PROJECT,
    env: { ...process.env, NODE_OPTIONS: '', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran: Ran = { status: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text;
  });
  return new Promise((resolve) => child.once('close', (status) => resolve({ ...ran, status })));
}

/** A statement as the owner of a product's embedded database, for looking behind the curtain. */
export async function asOwnerOf(dataDir: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const port = readFileSync(path.join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[3]?.trim();
  const password = readFileSync(path.join(dataDir, 'postgres/password'), 'utf8').trim();
  const client = new pg.Client({ connectionString: `postgres://clinic_owner:${password}@127.0.0.1:${port}/clinic` });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

// The program of the simulated tax authority: its output, its journal after a kill, signatures and refusals.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { PROJECT } from '../../schemas.ts';
import { tempFolder } from '../temp-folder.ts';

const PROGRAM = path.join(PROJECT, 'scripts/dev/dte-simulator/main.ts');
const NIT = '06140101901015';
const PASSWORD = 'Clave-1';
const folder = tempFolder('authority');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(...options: string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [PROGRAM, ...options], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } });
  children.push(child);
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, ready] = /ready (\S+)/.exec(output) ?? [];
      if (ready) resolve(ready);
    });
    child.once('exit', () => reject(new Error(`it ended: ${output}`)));
  });
  return { url, child };
}

async function ask(url: string, body?: object, headers = {}) {
  const sent = body && { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  const response = await fetch(url, sent);
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

test('prints its usage, and refuses an incorrect command line', () => {
  expect(execFileSync(process.execPath, [PROGRAM, '--help'], { encoding: 'utf8' })).toContain('--mood');
  for (const wrong of [['--mood', 'merry'], ['--port', 'x'], ['--nothing']]) {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...wrong], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('Usage:');
  }
});

test('after a kill it signs with the stored certificate, and refuses a wrong password', async () => {
  const first = await start('--data', folder);
  await ask(`${first.url}/simulator/certificates`, { nit: NIT, password: PASSWORD });
  first.child.kill('SIGKILL');
  appendFileSync(path.join(folder, 'journal.jsonl'), '{"document":{"co'); // cut off in the middle
  const { url } = await start('--data', folder);
  expect((await ask(`${url}/simulator`)).body).toMatchObject({ certificates: [NIT], documents: [], mood: 'answers' });
  const document = { emisor: { nit: NIT }, identificacion: { tipoDte: '01', version: 1, codigoGeneracion: 'X', numeroControl: 'Y', fecEmi: '2026-11-20' } };
  const order = { nit: NIT, activo: true, passwordPri: PASSWORD, dteJson: document };
  const signed = await ask(`${url}/firmardocumento/`, order);
  expect(signed.body.status).toBe('OK');
  expect((await ask(`${url}/firmardocumento/`, { ...order, passwordPri: 'otra' })).body).toMatchObject({ status: 'ERROR', body: { codigo: '803' } });
  expect((await ask(`${url}/firmardocumento/`, { ...order, nit: '1' })).body).toMatchObject({ status: 'ERROR', body: { codigo: '812' } });

  const token = await fetch(`${url}/seguridad/auth`, { method: 'POST', body: new URLSearchParams({ user: NIT, pwd: 'x' }) });
  const { body } = (await token.json()) as { body: { token: string } };
  const authorization = body.token;
  expect(authorization).toMatch(/^Bearer /);
  const hand = (jws: unknown, headers = { authorization }) =>
    ask(`${url}/fesv/recepciondte`, { ambiente: '00', idEnvio: 1, version: 1, tipoDte: '01', documento: jws, codigoGeneracion: 'X' }, headers);
  expect(await hand(signed.body.body, { authorization: 'Bearer no' })).toMatchObject({ status: 401 });
  const [head, , signature] = String(signed.body.body).split('.');
  const forged = [head, Buffer.from(JSON.stringify({ ...document, more: 1 })).toString('base64url'), signature].join('.');
  expect(await hand(forged)).toMatchObject({ status: 400, body: { estado: 'RECHAZADO', codigoMsg: '802' } });
});

test('serves a page, and its mood can be set', async () => {
  const { url } = await start('--mood', 'down');
  expect(await (await fetch(url)).text()).toContain('Autoridad tributaria simulada');
  expect((await fetch(`${url}/seguridad/auth`, { method: 'POST' })).status).toBe(503);
  expect((await ask(`${url}/simulator`, { mood: 'merry' })).body).toMatchObject({ mood: 'down' });
  // plain-words: away is a value of the simulator's interface
  expect((await ask(`${url}/simulator`, { mood: 'away' })).body).toMatchObject({ mood: 'away' });
  const asCurl = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '{"mood": "locked"}' };
  expect(await (await fetch(`${url}/simulator`, asCurl)).json()).toMatchObject({ mood: 'locked' });
  expect((await fetch(`${url}/seguridad/auth`, { method: 'POST', body: new URLSearchParams({ user: 'a', pwd: 'b' }) })).status).toBe(401);
});

// The client of the tax authority against a stub server: time limits, and verdicts of answers.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type AuthorityClient, createAuthorityClient } from './authority-client.ts';
import { signRemotely } from './signer.ts';

const ACCOUNT = { clinicId: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70', environment: '00' as const, provider: { user: 'u', password: 'p' } };
const SUBMISSION = { environment: '00' as const, version: 1, kind: '01', jws: 'a.b.c', code: 'C' };
const SEAL = 'A'.repeat(40);

let answer: object = {};
/** Whether the server redirects every request. */
let moved = false;
/** Whether the server leaves every request without an answer. */
let frozen = false;
const requests: string[] = [];
const server = http.createServer((request, response) => {
  requests.push(request.url ?? '');
  request.resume();
  if (frozen) return;
  if (moved) return void response.writeHead(307, { location: '/elsewhere' }).end();
  const body = request.url === '/seguridad/auth' ? { status: 'OK', body: { token: 'Bearer t' } } : answer;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
let baseUrl: string;
let authority: AuthorityClient;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  authority = createAuthorityClient({ baseUrl, timeoutMs: 60_000, clock: systemClock, log: createLog('test', 'silent') });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void requests.splice(0));

test('time limits may be fractions of milliseconds', async () => {
  answer = { estado: 'PROCESADO', selloRecibido: SEAL };
  expect(await authority.receive(ACCOUNT, SUBMISSION, 30_000.4)).toMatchObject({ kind: 'accepted', seal: SEAL });
  expect(await authority.query(ACCOUNT, { nit: '1', kind: '01', code: 'C' }, 29_999.999)).toMatchObject({ kind: 'accepted' });
  expect(requests).toEqual(['/seguridad/auth', '/fesv/recepciondte', '/fesv/recepcion/consultadte/']);
});

test('an answer without a seal is not accepted', async () => {
  answer = { estado: 'PROCESADO', selloRecibido: null };
  expect(await authority.receive(ACCOUNT, SUBMISSION, 30_000)).toEqual({ kind: 'unknown' });
  answer = { estado: 'RECHAZADO', codigoMsg: '096', descripcionMsg: 'ESQUEMA', observaciones: ['x'] };
  expect(await authority.receive(ACCOUNT, SUBMISSION, 30_000)).toEqual({ kind: 'rejected', code: '096', observations: ['ESQUEMA', 'x'] });
});

test('an answer that is too large is not read to its end', async () => {
  answer = { estado: 'PROCESADO', selloRecibido: SEAL, observaciones: ['x'.repeat(1_048_576)] };
  expect(await authority.receive(ACCOUNT, SUBMISSION, 30_000)).toEqual({ kind: 'unknown' });
});

test('observations can be stored, whatever they contain', async () => {
  answer = { estado: 'RECHAZADO', codigoMsg: '0\u000099', descripcionMsg: 'a\0b', observaciones: ['\ud800', 7, null, { campo: 'x' }, 'y'.repeat(600)] };
  const observations = ['ab', '\ufffd', 'y'.repeat(500)];
  expect(await authority.receive(ACCOUNT, SUBMISSION, 30_000)).toEqual({ kind: 'rejected', code: '099', observations });
});

test('the signer gets no more time than the caller has', async () => {
  frozen = true;
  const began = performance.now();
  await expect(signRemotely(baseUrl, 60_000)({ privateKey: '', password: 'p' }, '1', {}, 99.5)).rejects.toThrow();
  expect(performance.now() - began).toBeLessThan(5_000);
  frozen = false;
});

test('neither the password of the provider nor that of the private key follows a redirect', async () => {
  moved = true;
  const other = { ...ACCOUNT, provider: { user: 'v', password: 'p' } };
  expect(await authority.receive(other, SUBMISSION, 30_000)).toMatchObject({ kind: expect.not.stringMatching('accepted') });
  await expect(signRemotely(baseUrl, 10_000)({ privateKey: '', password: 'p' } as never, '1', {}, 10_000)).rejects.toThrow();
  moved = false;
  expect(new Set(requests)).toEqual(new Set(['/seguridad/auth', '/firmardocumento/']));
});

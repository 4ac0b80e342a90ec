// What a compromised service can do with its own keys and the assertions that it has received, by how much clocks may differ, and how processes of
// two releases work together.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { keyRing } from '../config/config.ts';
import type { ServiceError } from '../errors/errors.ts';
import { clockSkew } from '../telemetry/metrics.ts';
import { testCredentials } from '../testing/credentials.ts';
import { testKeys } from '../testing/settings.ts';
import { createAssertionSigner } from './assertion.ts';
import { callKeysOf } from './call-keys.ts';
import { type Caller, serviceCaller } from './caller.ts';
import { watchSkew } from './clock-skew.ts';
import { type Credentials, callerHeaders, parseCaller } from './credentials.ts';
import { signHop } from './hop.ts';
import { encodeJson } from './mac.ts';
import { signPreviousToken } from './previous-token.ts';

const METHOD = '/clinic.scheduling.v1.LookupService/FindPatient';
const CALL = { callee: 'scheduling', method: METHOD, timeoutMs: 10_000 };
const internal = keyRing.parse(testKeys);
const [gateway, dental, scheduling] = [testCredentials('gateway'), testCredentials('dental'), testCredentials('scheduling')];
const clinic = { id: '0198a3f2-7c1e-7d4b-9a53-000000000002', plan: 'pro', timezone: 'America/El_Salvador', country: 'SV' };
const user: Caller = { kind: 'user', id: '0198a3f2-7c1e-7d4b-9a53-000000000001', requestId: 'r-1', ip: '192.0.2.1', role: 'receptionist', clinic };

type Headers = Record<string, string>;
const show = (caller: Caller, by: Credentials, call = CALL): Headers => Object.fromEntries(callerHeaders(caller, call, by));
const check = (headers: Headers, { by = scheduling, method = METHOD, peer }: { by?: Credentials; method?: string; peer?: string[] } = {}) =>
  parseCaller({ header: (name) => headers[name], method, peer }, by);

/** The user's assertion, as dental receives it, and hop tokens that dental creates for any assertion. */
const assertion = show(user, gateway)['x-clinic-assertion'] ?? '';
const [keyId = '', payload = '', signature = ''] = assertion.split('.');
const fromDental = (shown: string, from = 'dental', method = METHOD) => ({
  'x-clinic-hop': signHop(dental.callKeys.get('scheduling') ?? [], { from, requestId: 'r-2' }, { callee: 'scheduling', method, assertion: shown }, Date.now()),
  'x-clinic-assertion': shown,
});
const claims = (changed: object) => encodeJson({ ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), ...changed });

test('a service passes on a user that the gateway asserted, and otherwise acts for itself', () => {
  const received = check(show(user, gateway, { ...CALL, callee: 'dental' }), { by: dental });
  expect(received).toEqual({ caller: user, from: 'gateway' });
  expect(check(show(received.caller, dental))).toEqual({ caller: user, from: 'dental' });
  expect(check(show({ ...serviceCaller('gateway', 'r-3'), clinic }, dental))).toEqual({
    caller: { ...serviceCaller('dental', 'r-3'), clinic },
    from: 'dental',
  });
  expect(check(fromDental(assertion), { peer: ['dental'] }).from).toBe('dental');
});

test('a service can assert neither a user of its own nor a changed copy of one that it received', () => {
  expect(() => show(user, dental)).toThrow('cannot call on behalf of a caller that the gateway has not asserted');
  const { caller } = check(show(user, gateway, { ...CALL, callee: 'dental' }), { by: dental });
  expect(() => show({ ...caller, role: 'admin' }, dental)).toThrow('cannot call on behalf of');
});

const own = generateKeyPairSync('ed25519').privateKey;
const publicKey = keyRing.parse(callKeysOf(internal, 'dental', ['dental']).ASSERTION_PUBLIC_KEYS)[0]?.key ?? Buffer.alloc(0);
const signedBy = (body: string) => `${body}.${sign(null, Buffer.from(`clinic assertion 1\n${body}`), own).toString('base64url')}`;
describe('refused', () => {
  const forgeries: [string, () => unknown][] = [
    ['the name of another service', () => check(fromDental(assertion, 'billing'))],
    ['the name of the gateway', () => check(fromDental(assertion, 'gateway'))],
    ['a name that no process has', () => check(fromDental(assertion, '__proto__'))],
    ['a user signed with a key of its own', () => check(fromDental(signedBy(`${keyId}.${payload}`)))],
    ['a user signed with a key that nobody knows', () => check(fromDental(signedBy(`mine.${payload}`)))],
    ['another clinic in the assertion', () => check(fromDental(`${keyId}.${claims({ clinic: { ...clinic, id: user.id } })}.${signature}`))],
    ['another role in the assertion', () => check(fromDental(`${keyId}.${claims({ role: 'admin' })}.${signature}`))],
    ['a later end of the assertion', () => check(fromDental(`${keyId}.${claims({ expires: Date.now() + 1e9 })}.${signature}`))],
    ['an assertion without a signature', () => check(fromDental(`${keyId}.${payload}.`))],
    [
      'the public key as the secret of an HMAC',
      () => check(fromDental(`${keyId}.${payload}.${createHmac('sha256', publicKey).update(`${keyId}.${payload}`).digest('base64url')}`)),
    ],
    ['more parts than three', () => check(fromDental(`${assertion}.x`))],
    [
      'a service in the assertion',
      () => check(fromDental(createAssertionSigner([{ id: 'test', key: Buffer.alloc(32, 7) }])(serviceCaller('identity', ''), 0))),
    ],
    ['no hop', () => check({ 'x-clinic-assertion': assertion })],
    ['nothing', () => check({})],
    ['garbage', () => check({ 'x-clinic-hop': 'dental.test.e30.', 'x-clinic-assertion': assertion })],
    ['a hop of another method', () => check(fromDental(assertion, 'dental', '/clinic.scheduling.v1.LookupService/FindPatients'))],
    ['a hop sent to another service', () => check(show(user, gateway), { by: testCredentials('billing') })],
    ['a hop with another assertion', () => check({ ...show(serviceCaller('dental', ''), dental), 'x-clinic-assertion': assertion })],
    ['a hop without its assertion', () => check({ 'x-clinic-hop': show(user, gateway)['x-clinic-hop'] ?? '' })],
    ['keys of another installation', () => check(show(user, testCredentials('gateway', [{ id: 'test', key: Buffer.alloc(32, 8) }])))],
    ['the certificate of another service', () => check(show(user, gateway), { peer: ['dental'] })],
    ['a certificate without a name', () => check(show(user, gateway), { peer: [] })],
    ['a token of the previous release', () => check({ 'x-clinic-caller': signPreviousToken(user, internal, Date.now()) })],
  ];
  test.each(forgeries)('%s', (_name, forge) => {
    expect(forge).toThrow('Send a valid x-clinic-hop');
  });
});

describe('clocks of two processes that differ', () => {
  const MINUTE = 60_000;
  const realNow = Date.now;
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const warned: unknown[][] = [];
  const noteSkew = watchSkew({ warn: (...args: unknown[]) => void warned.push(args) });
  const advance = (ms: number) => jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
  const answer = (headers: Headers) => {
    try {
      return check(headers, { by: { ...scheduling, noteSkew } }).from;
    } catch (error) {
      return (error as ServiceError).reason;
    }
  };
  const signer = createAssertionSigner(keyRing.parse(callKeysOf(internal, 'gateway', []).ASSERTION_KEYS), () => Date.now());

  test.each([
    ['by less than two minutes', 2 * MINUTE - 1_000, 'dental'],
    ['by more: calls fail as they do while a service is unavailable', 2 * MINUTE + 1_000, 'UNAVAILABLE'],
    ['with the clock of the caller ahead', -10 * MINUTE, 'dental'],
  ])('%s', (_name, ms, outcome) => {
    const headers = show(serviceCaller('dental', 'r-4'), dental);
    advance(ms);
    expect(answer(headers)).toBe(outcome);
  });

  test('an assertion is valid for the time limit of the call and at least 90 seconds more, also when it was verified before', () => {
    const token = signer(user, 10_000);
    expect(answer(fromDental(token))).toBe('dental');
    advance(MINUTE - 1_000); // about the latest time at which the gateway reuses it
    expect(signer(user, 10_000)).toBe(token);
    for (const [ms, outcome] of [
      [160_000 - 1_000, 'dental'],
      [160_000 + 1_000, 'UNAVAILABLE'],
    ] as const) {
      advance(ms);
      expect(answer(fromDental(token))).toBe(outcome);
    }
    expect(signer(user, 10_000)).not.toBe(token);
  });

  test('are logged once, and measured', async () => {
    expect(warned).toEqual([[{ peer: 'dental', seconds: -119 }, expect.stringContaining('the clock of dental differs')]]);
    clockSkew.reset();
    advance(-10 * MINUTE);
    answer(show(serviceCaller('dental', 'r-5'), dental));
    expect((await clockSkew.get()).values).toMatchObject([{ labels: { peer: 'dental' }, value: expect.closeTo(0, 0) }]);
  });
});

test('no process has a key that two others share, and only the gateway can assert callers', () => {
  const names = ['gateway', 'dental', 'scheduling', 'billing'];
  const keysOf = (name: string) => [...testCredentials(name).callKeys.values()].flat().map(({ key }) => key.toString('hex'));
  const shared = (a: string, b: string) => keysOf(a).filter((key) => keysOf(b).includes(key)).length;
  for (const a of names) for (const b of names) if (a !== b) expect(shared(a, b)).toBe(1);
  expect(names.filter((name) => callKeysOf(internal, name, names).ASSERTION_KEYS)).toEqual(['gateway']);
});

describe('during an upgrade from the previous release, with INTERNAL_KEYS set', () => {
  const during = (credentials: Credentials): Credentials => ({ ...credentials, previous: internal });

  test('its tokens are accepted for every kind of caller, and passed on', () => {
    const old = { 'x-clinic-caller': signPreviousToken(user, internal, Date.now()) };
    const received = check(old, { by: during(scheduling) });
    expect(received).toEqual({ caller: user, from: undefined });
    expect(check(show(received.caller, during(scheduling), { ...CALL, callee: 'dental' }), { by: during(dental) }).caller).toEqual(user);
    expect(() => check(old, { by: scheduling })).toThrow('Send a valid');
    expect(() => check({ 'x-clinic-caller': signPreviousToken(user, internal, Date.now() - 120_000) }, { by: during(scheduling) })).toThrow('Send a valid');
  });

  test('calls carry the tokens of both releases, and processes of this release use the new ones', () => {
    const headers = show(user, during(gateway));
    expect(Object.keys(headers)).toEqual(['x-clinic-caller', 'x-clinic-hop', 'x-clinic-assertion']);
    expect(check(headers, { by: during(scheduling) }).from).toBe('gateway');
    expect(check(headers).from).toBe('gateway');
    expect(() => check({ ...headers, 'x-clinic-assertion': '' }, { by: during(scheduling) })).toThrow('Send a valid');
  });
});

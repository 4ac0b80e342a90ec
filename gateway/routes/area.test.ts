import { SCOPES } from '@clinic/lib/formats/scopes.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { area } from './area.ts';
import { areas } from './areas.ts';
import { clearable, clearableNumber, money, text } from './schemas.ts';

const common = { prefix: '/a', tag: 'A', about: '' };
const scope = 'doctors';
const { method } = DoctorService;

test('access comes from the contract, and the default rate group is api', () => {
  const { routes } = area({
    ...common,
    all: { feature: 'dental', scope },
    routes: [
      { method: 'get', path: '/a', rpc: method.listDoctors },
      { method: 'post', path: '/a', rpc: method.createDoctor, rate: 'auth' },
    ],
  });
  expect(routes).toMatchObject([
    { access: 'user', rate: 'api', feature: 'dental', scope: 'doctors:read' },
    { access: 'admin', rate: 'auth', feature: 'dental', scope: undefined },
  ]);
});

test('an RPC that only services may call cannot have a route', () => {
  const rpc = AccessService.method.resolveAccessOfMany;
  expect(() => area({ ...common, routes: [{ method: 'get', path: '/a', rpc, scope }] })).toThrow('ResolveAccessOfMany, whose access is SERVICE');
});

test('a parameter of the path is a UUID unless the row has another schema for it', () => {
  const [route] = area({ ...common, routes: [{ method: 'get', path: '/a/:kind/:id', rpc: method.getDoctor, scope, params: { kind: z.enum(['x']) } }] }).routes;
  const { params } = route?.request ?? {};
  expect(params?.safeParse({ kind: 'x', id: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70' }).success).toBe(true);
  expect(params?.safeParse({ kind: 'x', id: '1' }).success).toBe(false);
  expect(params?.safeParse({ kind: 'y', id: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70' }).success).toBe(false);
});

test('null and an empty text clear an optional field on change', () => {
  const body = z.object({ text: clearable(text(5)), number: clearableNumber(z.int().min(1)) });
  for (const empty of [null, '']) expect(body.parse({ text: empty, number: empty })).toEqual({ text: '', number: 0 });
  expect(body.parse({ text: ' a ', number: 1 })).toEqual({ text: 'a', number: 1 });
  expect(body.safeParse({ number: 0 }).success).toBe(false);
});

test('a text that consists only of invisible characters is blank; emoji with joiners and accents are not', () => {
  const body = z.object({ name: text(80), note: clearable(text(80)) });
  for (const blank of ['', ' ', '\u200b', '\u2060', '\ufeff', '\u00ad', ' \u200e\u200f ', '\u2066\u2069']) {
    const { error } = body.safeParse({ name: blank, note: '\u200b' });
    expect(error?.issues.map(({ path, message }) => [path, message])).toEqual(['name', 'note'].map((name) => [[name], 'must not be empty']));
  }
  for (const name of ['👩‍⚕️ Dra. Peña', '❤️', 'Ángel Núñez']) expect(body.parse({ name })).toEqual({ name });
});

test.each([
  [-1, 'Too small: expected number to be >0'],
  [0, 'Too small: expected number to be >0'],
  [1e9, 'Too big: expected number to be <=99999999.99'],
  [1.005, 'must have at most 2 decimals'],
])('the amount %d leads to one error', (amount, message) => {
  expect(money.safeParse(amount).error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test('each scope of integration keys is used by a route', () => {
  const used = new Set(areas.flatMap(({ routes }) => routes.map((route) => route.scope)));
  used.add('fhir:read'); // the routes of gateway/fhir have no rows
  expect(SCOPES.filter((known) => !used.has(known))).toEqual([]);
});

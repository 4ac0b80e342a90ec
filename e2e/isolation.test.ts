// Records of another clinic are not found: each route that takes an id is called with the ids of another clinic that its service stores.

import { randomUUID } from 'node:crypto';
import { serviceOf } from '@clinic/gateway/http/rpc.ts';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { apiAt } from './api.ts';
import { type Clinic, newClinic } from './clinic.ts';
import { bodyFor, furnish, idFor, queryFor, queryText, type Records } from './furnish.ts';
import { recordsOf } from './product-internals.ts';
import { asField, idFields, named, nameOf, parametersOf, pathOf, type Row, rows, schemaOf } from './rows.ts';

const api = apiAt(publicApi());
const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

let victim: Clinic;
let thief: Clinic;
/** Every id in the victim's first row of each table. */
let stolen: string[];
/** All rows of the victim before the tests, by schema and table. */
let before: Record<string, string[]>;
/** The victim's records, and the thief's own for fields that are not under test. */
let others: Records;
let own: Records;

beforeAll(async () => {
  [victim, thief] = await Promise.all([newClinic(api), newClinic(api)]);
  await api.send('PATCH', `/api/users/${thief.session.user.id}`, { licenseNumber: 'JVPO 1' }, thief); // may write prescriptions
  [others, own] = await Promise.all([furnish(api, victim), furnish(api, thief)]);
  before = await recordsOf(publicApi(), victim.id);
  stolen = idsIn('');
});

/** The ids in the victim's first row of each table of a schema. */
function idsIn(schema: string): string[] {
  const ids = Object.entries(before).flatMap(([table, [record]]) => (table.startsWith(schema) && record?.match(UUIDS)) || []);
  return [...new Set(ids)];
}

const clinics = rows.filter(({ access }) => access === 'user' || access === 'admin');
const withPathIds = clinics.filter((row) => parametersOf(row).length > 0);
const withBodyIds = clinics.filter((row) => idFields(row.request?.body).length > 0);
const withQueryIds = clinics.filter((row) => idFields(row.request?.query).length > 0);

const ownId = (name: string, row: Row) => idFor(own, name, row.path) ?? own.doctors ?? '';
const FORM = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\r\n--x--\r\n';
const isForm = ({ request }: Row) => request?.upload?.type === 'multipart/form-data';
const bodyOf = (row: Row) => (isForm(row) ? FORM : row.request?.raw ? 'anything' : bodyFor(row, (name) => ownId(name, row)));
function typeOf(row: Row): Record<string, string> {
  if (isForm(row)) return { 'Content-Type': 'multipart/form-data; boundary=x' };
  return row.request?.raw ? { 'Content-Type': row.request.raw.types[0] ?? '' } : {};
}

/** A few at a time: the ids that the service of the row stores, and the victim's record of the kind that the parameter or field names. */
async function withEach(row: Row, name: string, attack: (id: string) => Promise<void>): Promise<void> {
  const queue = [...new Set([...idsIn(`${serviceOf(row.rpc.parent)}.`), idFor(others, name, row.path) ?? victim.id])];
  const work = async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) await attack(id);
  };
  await Promise.all(Array.from({ length: 6 }, work));
}

test('the victim has records, and rows take ids', () => {
  expect(stolen.length).toBeGreaterThan(10);
  expect(withPathIds.length).toBeGreaterThan(5);
  expect(withBodyIds.length).toBeGreaterThan(0);
  expect(withQueryIds.length).toBeGreaterThan(0);
});

test('no body has ids where these tests do not find them, within a list or an object', () => {
  const ids = (part: z.ZodType | undefined) => JSON.stringify(schemaOf(part) ?? {}).split('"format":"uuid"').length - 1;
  for (const row of clinics) {
    for (const part of [row.request?.body, row.request?.query]) expect([nameOf(row), ids(part)]).toEqual([nameOf(row), idFields(part).length]);
  }
});

describe('ids in the path', () => {
  test.each(named(withPathIds))('%s', async (_name, row) => {
    for (const parameter of parametersOf(row)) {
      await withEach(row, parameter, async (id) => {
        const path = pathOf(row, (name) => (name === parameter ? id : ownId(name, row))) + queryText(queryFor(row));
        const answer = await api.send(row.method.toUpperCase(), path, bodyOf(row), { token: thief.token, headers: typeOf(row) });
        expect({ path, status: answer.status, code: answer.body?.code, error: answer.body?.error }).toEqual({
          path,
          status: 404,
          code: 'NOT_FOUND',
          // When several records are missing, the first is named.
          error: (parametersOf(row).length === 1 && row.notFound) || expect.any(String),
        });
      });
    }
  });
});

describe('ids in the body: the response is that for an id that does not exist', () => {
  test.each(named(withBodyIds))('%s', async (_name, row) => {
    for (const field of idFields(row.request?.body)) {
      const path = pathOf(row, (name) => ownId(name, row));
      const send = (id: string) => api.send(row.method.toUpperCase(), path, { ...bodyOf(row), [field]: asField(row.request?.body, field, id) }, thief);
      const ofNobody = await send(randomUUID());
      expect([404, 409]).toContain(ofNobody.status);
      await withEach(row, field, async (id) => {
        const answer = await send(id);
        expect({ field, id, status: answer.status, body: answer.body }).toEqual({ field, id, status: ofNobody.status, body: ofNobody.body });
      });
    }
  });
});

describe('ids in the query', () => {
  test.each(named(withQueryIds))('%s', async (_name, row) => {
    for (const field of idFields(row.request?.query)) {
      await withEach(row, field, async (id) => {
        const answer = await api.send(
          row.method.toUpperCase(),
          `${pathOf(row, (name) => ownId(name, row))}${queryText({ ...queryFor(row), [field]: id })}`,
          undefined,
          thief,
        );
        expect([200, 404]).toContain(answer.status);
        expect(stolen.filter((one) => answer.text.includes(one))).toEqual([]);
      });
    }
  });
});

describe('a clinic_id in the request', () => {
  test.each(named(clinics))('%s: has no effect in body, query and headers', async (_name, row) => {
    const path = pathOf(row, (name) => ownId(name, row));
    const query = new URLSearchParams({ ...queryFor(row), clinic_id: victim.id, clinicId: victim.id });
    const body = row.request?.body && { ...bodyOf(row), clinic_id: victim.id, clinicId: victim.id };
    const headers = { 'X-Clinic-Id': victim.id, 'X-Tenant': victim.id, 'X-User-Id': victim.session.user.id };
    const answer = await api.send(row.method.toUpperCase(), `${path}?${query}`, body, {
      token: thief.token,
      headers,
    });
    expect(answer.status).toBeLessThan(500);
    expect(stolen.filter((one) => answer.text.includes(one))).toEqual([]);
  });
});

test('no row of the victim has changed', async () => {
  expect(await recordsOf(publicApi(), victim.id)).toEqual(before);
});

test('the victim still sees all its records, and no other clinic does', async () => {
  const withoutQuery = ({ request }: Row) => request?.query?.safeParse({}).success !== false;
  const lists = clinics.filter((row) => row.method === 'get' && !row.path.includes(':') && withoutQuery(row));
  for (const row of lists) {
    const mine = await api.send('GET', row.path, undefined, victim);
    const theirs = await api.send('GET', row.path, undefined, thief);
    expect(mine.status).toBe(200);
    expect(stolen.filter((one) => theirs.text.includes(one))).toEqual([]);
  }
});

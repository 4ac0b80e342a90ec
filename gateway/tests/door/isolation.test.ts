// A record of another clinic is not found: each route that takes an id is tried with every id that a stranger has.

import { door } from '@clinic/lib/testing/door.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body } from './api.ts';
import { recordsOf } from './behind.ts';
import { addDoctor, addPatient, book, booking, type Clinic, inDays, newClinic } from './clinic.ts';
import { idFields, named, parametersOf, pathOf, rows } from './rows.ts';

const api = apiAt(door());
const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

let victim: Clinic;
let thief: Clinic;
/** Every id in any row of the victim. */
let stolen: string[];
/** The thief's own records, for the fields that are not under test. */
let own: { doctor: Body; patient: Body; appointment: Body };

async function furnished(): Promise<[Clinic, typeof own]> {
  const clinic = await newClinic(api);
  const doctor = await addDoctor(api, clinic);
  const appointment = await book(api, clinic, booking(doctor.id, '08:00'));
  const patient = await addPatient(api, clinic, { dui: '00016297-5' });
  return [clinic, { doctor, patient, appointment }];
}

beforeAll(async () => {
  [[victim], [thief, own]] = await Promise.all([furnished(), furnished()]);
  const records = await recordsOf(door(), victim.id);
  const ids = Object.values(records)
    .flat()
    .flatMap((record) => record.match(UUIDS) ?? []);
  stolen = [...new Set(ids)];
});

const clinics = rows.filter(({ access }) => access === 'user' || access === 'admin');
const withPathIds = clinics.filter((row) => parametersOf(row).length > 0);
const withBodyIds = clinics.filter((row) => idFields(row.request?.body).length > 0);
const withQueryIds = clinics.filter((row) => idFields(row.request?.query).length > 0);

/** What the thief has of the kind that a parameter or field speaks of. */
function ownId(name: string, path: string): string {
  const kind = (['doctor', 'patient', 'appointment'] as const).find((one) => name.toLowerCase().startsWith(one) || path.includes(`/${one}s/:${name}`));
  return kind ? own[kind].id : own.doctor.id;
}

/** A query that would be accepted, so that nothing but the id is at fault. */
const queryOf = (row: (typeof rows)[number]) => (row.request?.query?.shape.date ? `?date=${inDays(7)}` : '');

/** The row's example, which the reference promises to work, with the thief's own ids. */
function bodyOf(row: (typeof rows)[number]): Body {
  if (!row.request?.body) return undefined;
  if (!row.example) throw new Error(`${row.path} takes a body but its row has no example to send`);
  const ids = idFields(row.request.body).filter((name) => name in (row.example ?? {}));
  const dates = 'appointmentDate' in row.example ? { appointmentDate: inDays(7) } : {};
  return { ...row.example, ...dates, ...Object.fromEntries(ids.map((name) => [name, ownId(name, row.path)])) };
}

async function unharmed(attack: () => Promise<void>): Promise<void> {
  const before = await recordsOf(door(), victim.id);
  await attack();
  expect(await recordsOf(door(), victim.id)).toEqual(before);
}

test('the victim has something to steal, and the rows something to try', () => {
  expect(stolen.length).toBeGreaterThan(10);
  expect(withPathIds.length).toBeGreaterThan(5);
  expect(withBodyIds.length).toBeGreaterThan(0);
  expect(withQueryIds.length).toBeGreaterThan(0);
});

describe('ids in the path', () => {
  test.each(named(withPathIds))('%s', async (_name, row) => {
    await unharmed(async () => {
      for (const parameter of parametersOf(row)) {
        for (const id of stolen) {
          const path = pathOf(row, (name) => (name === parameter ? id : ownId(name, row.path))) + queryOf(row);
          const answer = await api.send(row.method.toUpperCase(), path, bodyOf(row), thief);
          expect({ path, status: answer.status, code: answer.body?.code, error: answer.body?.error }).toEqual({
            path,
            status: 404,
            code: 'NOT_FOUND',
            error: row.notFound ?? expect.any(String),
          });
        }
      }
    });
  });
});

describe('ids in the body', () => {
  test.each(named(withBodyIds))('%s', async (_name, row) => {
    await unharmed(async () => {
      for (const field of idFields(row.request?.body)) {
        for (const id of stolen) {
          const path = pathOf(row, (name) => ownId(name, row.path));
          const answer = await api.send(row.method.toUpperCase(), path, { ...bodyOf(row), [field]: id }, thief);
          expect({ field, id, status: answer.status, code: answer.body?.code }).toEqual({ field, id, status: 404, code: 'NOT_FOUND' });
        }
      }
    });
  });
});

describe('ids in the query', () => {
  test.each(named(withQueryIds))('%s', async (_name, row) => {
    await unharmed(async () => {
      for (const field of idFields(row.request?.query)) {
        for (const id of stolen) {
          const answer = await api.send(row.method.toUpperCase(), `${pathOf(row, (name) => ownId(name, row.path))}?${field}=${id}`, undefined, thief);
          expect([200, 404]).toContain(answer.status);
          expect(stolen.filter((one) => answer.text.includes(one))).toEqual([]);
        }
      }
    });
  });
});

describe('a clinic_id from outside', () => {
  test.each(named(clinics))('%s: in body, query and headers it means nothing', async (_name, row) => {
    await unharmed(async () => {
      const path = pathOf(row, (name) => ownId(name, row.path));
      const query = queryOf(row) || '?';
      const body = row.request?.body && { ...bodyOf(row), clinic_id: victim.id, clinicId: victim.id };
      const headers = { 'X-Clinic-Id': victim.id, 'X-Tenant': victim.id, 'X-User-Id': victim.session.user.id };
      const answer = await api.send(row.method.toUpperCase(), `${path}${query}&clinic_id=${victim.id}&clinicId=${victim.id}`, body, {
        token: thief.token,
        headers,
      });
      expect(answer.status).toBeLessThan(500);
      expect(stolen.filter((one) => answer.text.includes(one))).toEqual([]);
    });
  });
});

test('what the victim sees is all there, and only the victim sees it', async () => {
  const lists = clinics.filter(({ method, path }) => method === 'get' && !path.includes(':'));
  for (const row of lists) {
    const mine = await api.send('GET', row.path, undefined, victim);
    const theirs = await api.send('GET', row.path, undefined, thief);
    expect(mine.status).toBe(200);
    expect(stolen.filter((one) => theirs.text.includes(one))).toEqual([]);
  }
});

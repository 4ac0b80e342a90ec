// Each field of the body of each PATCH and PUT route, sent alone, is stored: the response and the next read contain it.
// A new route or field fails here until it has an entry in changes/.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAt, type Body, type Extra } from './api.ts';
import { type Change, type Changes, FILE, type Field, NO_BODY, type Target } from './changes/change.ts';
import { changesOf } from './changes/changes.ts';
import { type Clinic, newClinic } from './clinic.ts';
import { named, nameOf, pathOf, type Row, rows, schemaOf } from './rows.ts';

const api = apiAt(publicApi());
const routes = rows.filter(({ method }) => method === 'patch' || method === 'put');

function fieldsOf({ request }: Row): string[] {
  if (request?.raw) return [FILE];
  return Object.keys(request?.body?.shape ?? { [NO_BODY]: undefined });
}

const isNullable = ({ request }: Row, field: string) => {
  const { type, anyOf = [] } = schemaOf(request?.body)?.properties?.[field] ?? {};
  return [type, ...anyOf.map((one: Body) => one.type)].flat().includes('null');
};

let clinic: Clinic;
let changes: Changes;
beforeAll(async () => {
  clinic = await newClinic(api);
  changes = await changesOf(api, clinic);
});

const cases = routes.flatMap((row) => fieldsOf(row).map((field) => [nameOf(row), field, row] as const));

test.each(cases)('%s stores %s alone', async (name, field, row) => {
  const change = changes[name];
  const entry = change?.fields[field];
  if (!change || !entry) throw new Error(`e2e/changes has no value for ${field} of ${name}`);
  const target = await change.record();
  expect(await target.read()).not.toMatchObject(entry.shown);
  await store(row, target, change, field, entry.value, entry);
  await entry.prove?.(target);
  if (isNullable(row, field) && !change.replaces && entry.cleared !== 'same') {
    const shown = entry.cleared ?? Object.fromEntries(Object.keys(entry.shown).map((key) => [key, null]));
    await store(row, target, change, field, null, { ...entry, shown });
  }
});

/** Routes whose body is not the record that they change, and those of operators, which refuse unknown fields. */
const NO_RECORD = new Set([
  'PUT /api/users/me/password',
  'PUT /api/users/me/pin',
  'PATCH /api/users/:id/role',
  'PUT /api/clinics/chat-config',
  'PUT /api/dte/issuer/certificate',
  'PUT /api/dte/issuer', // the members of its objects are in camelCase
]);
/** Sending the record back takes effect: the teeth are then fixed, and deliveries are attempted again at once. */
const TAKES_EFFECT = new Set(['PUT /api/dental/charts/:patientId/dentition', 'PATCH /api/webhook-endpoints/:id']);
const ofRecords = routes.filter((row) => row.request?.body && !row.path.startsWith('/api/superadmin/') && !NO_RECORD.has(nameOf(row)));

// A response also contains computed values, which must be neither refused nor stored.
test.each(named(ofRecords))('%s with the whole record changes nothing', async (name, row) => {
  const target = (await changes[name]?.record()) as Target;
  const before = await target.read();
  const { status, text } = await send(row, target, before);
  expect([status, text]).toEqual([200, text]);
  const updated = TAKES_EFFECT.has(name) ? { updated_at: expect.any(String) } : {};
  expect(await target.read()).toEqual({ ...before, ...updated });
});

test('e2e/changes contains every route and field, and no others', () => {
  const named = Object.entries(changes).flatMap(([name, { fields }]) => Object.keys(fields).map((field) => `${name} ${field}`));
  expect(named.sort()).toEqual(cases.map(([name, field]) => `${name} ${field}`).sort());
});

/** Sends one field, and compares the response and the next read with the entry. */
async function store(row: Row, target: Target, change: Change, field: string, value: unknown, entry: Field): Promise<void> {
  const { status, body, text } = await send(row, target, field === FILE || field === NO_BODY ? value : { ...change.with, [field]: value });
  expect([status, text]).toEqual([200, text]);
  expect(body).toMatchObject(entry.answered ?? entry.shown);
  const read = await target.read();
  if ('read' in entry) expect(read).toEqual(entry.read);
  else expect(read).toMatchObject(entry.shown);
}

function send(row: Row, { params = {}, as }: Target, body: unknown) {
  const extra: Extra = as ?? clinic;
  const headers = { ...extra.headers, ...(body instanceof Uint8Array && { 'Content-Type': 'image/png' }) };
  return api.send(
    row.method.toUpperCase(),
    pathOf(row, (parameter) => params[parameter] ?? ''),
    body,
    { ...extra, headers },
  );
}

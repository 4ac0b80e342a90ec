// Every request that is accepted and every response agrees with the OpenAPI document: of records of every kind, of every list and record that can
// be read, and of refusals, also of lists by an unknown id and of changes by the id of a record that was merged into another one.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect, test } from '@jest/globals';
import { apiAt, expectStatus } from './api.ts';
import { addPatient, newClinic } from './clinic.ts';
import { bodyFor, furnish, idFor, queryFor, queryText } from './furnish.ts';
import { createContract } from './openapi-contract.ts';
import { idFields, nameOf, pathOf, type Row, rows } from './rows.ts';

test('requests and responses agree with the OpenAPI document', async () => {
  const plain = apiAt(publicApi());
  const contract = createContract((await plain.get('/api/openapi.json')).body);
  const faults: string[] = [];
  const api = contract.watch(plain, faults);
  const clinic = await newClinic(api);
  const records = await furnish(api, clinic);
  const extraOf = { public: {}, user: clinic, admin: clinic, superadmin: api.operator };
  const reads = rows.filter(({ method }) => method === 'get');
  const changes = rows.filter(({ method, access }) => method !== 'get' && method !== 'delete' && (access === 'user' || access === 'admin'));
  const fill = (row: Row) => (name: string) => idFor(records, name, row.path) ?? records.doctors ?? '';
  for (const row of [...reads, ...changes]) {
    if (row.rpc.methodKind !== 'unary') continue;
    const path = pathOf(row, fill(row)) + queryText(queryFor(row));
    for (const extra of [extraOf[row.access], {}]) await api.send(row.method.toUpperCase(), path, bodyFor(row, fill(row)), extra);
    const unknownIds = idFields(row.request.query).map((name) => `${name}=${randomUUID()}`);
    for (const parameter of ['unknown=1', ...unknownIds])
      await api.send(row.method.toUpperCase(), `${path}${path.includes('?') ? '&' : '?'}${parameter}`, undefined, extraOf[row.access]);
  }

  const { id: merged } = await addPatient(api, clinic);
  await expectStatus(200, api.post('/api/patients/merge', { keepId: records.patients, mergeId: merged }, clinic));
  await expectStatus(200, api.patch(`/api/users/${clinic.session.user.id}`, { licenseNumber: 'JVPO 1' }, clinic)); // without it, the user cannot prescribe
  records.patients = merged;
  const refused: string[] = [];
  for (const row of rows.filter(({ method, access }) => method !== 'get' && (access === 'user' || access === 'admin'))) {
    const path = pathOf(row, fill(row));
    const field = idFields(row.request.body).find((name) => /^patient_?id$/i.test(name));
    if (!path.includes(merged) && !field) continue;
    const form = new FormData();
    form.set('file', new Blob(['x']), 'x.txt');
    const body = { ...bodyFor(row, fill(row)), ...(field && { [field]: merged, patientName: undefined, patientPhone: undefined }) };
    const { status } = await (row.request.upload ? api.postForm(path, form, clinic) : api.send(row.method.toUpperCase(), path, body, clinic));
    if (status === 409) refused.push(nameOf(row));
  }
  expect([...new Set(faults)]).toEqual([]);
  expect(contract.succeeded.size).toBeGreaterThan(150);
  expect(refused.length).toBeGreaterThan(25);
});

// Every request that is accepted and every response agrees with the OpenAPI document: of records of every kind, of every list and record that can
// be read, and of refusals.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect, test } from '@jest/globals';
import { apiAt } from './api.ts';
import { newClinic } from './clinic.ts';
import { bodyFor, furnish, idFor, queryFor, queryText } from './furnish.ts';
import { createContract } from './openapi-contract.ts';
import { pathOf, rows } from './rows.ts';

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
  for (const row of [...reads, ...changes]) {
    if (row.rpc.methodKind !== 'unary') continue;
    const idOf = (name: string) => idFor(records, name, row.path) ?? records.doctors ?? '';
    const path = pathOf(row, idOf) + queryText(queryFor(row));
    for (const extra of [extraOf[row.access], {}]) await api.send(row.method.toUpperCase(), path, bodyFor(row, idOf), extra);
    await api.send(row.method.toUpperCase(), `${path}${path.includes('?') ? '&' : '?'}unknown=1`, undefined, extraOf[row.access]);
  }
  expect([...new Set(faults)]).toEqual([]);
  expect(contract.succeeded.size).toBeGreaterThan(150);
});

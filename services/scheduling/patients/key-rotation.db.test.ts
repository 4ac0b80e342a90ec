// Rotation of the encryption key while scheduling runs: all values can be decrypted at any time, and finally without the old key.
import { randomBytes, randomUUID } from 'node:crypto';
import { keyRing } from '@clinic/lib/config/config.ts';
import { countOutdated, reencrypt } from '@clinic/lib/crypto/reencrypt.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { asUser } from '@clinic/lib/testing/callers.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import scheduling from '../service.ts';

/** Not called by these tests. */
const dependencies = { identity: localTransport([]), messaging: localTransport([]), dental: localTransport([]) };
const DUI = '00016297-5';
const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [older, newer] = [key('old'), key('new')];
const ring = `${newer},${older}`;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const patientsUnder = async (keys: string) => {
  const service = await testService(scheduling, { database, dependencies: dependencies, settings: { ENCRYPTION_KEYS: keys } });
  return { service, patients: service.client(PatientService) };
};

test('values encrypted with the old key are found and decrypted before, during and after the rotation', async () => {
  const me = asUser(randomUUID());
  const before = await patientsUnder(older);
  const made: { id: string }[] = [];
  for (let n = 0; n < 450; n++)
    made.push(await before.patients.createPatient({ fullName: `Paciente ${n}`, phone: `+5037${String(n).padStart(7, '0')}`, dui: DUI }, me));
  await before.service.stop();

  const column = scheduling.personal?.encrypted.find(({ table }) => table === 'patients');
  if (!column) throw new Error('no encrypted column');
  const during = await patientsUnder(ring);
  const keys = keyRing.parse(ring);
  const readAll = async () => {
    for (const { id } of made.slice(0, 30)) expect((await during.patients.getPatient({ id }, me)).dui).toBe(DUI);
    expect((await during.patients.listPatients({ search: DUI, page: 1, limit: 1 }, me)).total).toBe(450);
  };
  await readAll();
  const progress: number[] = [];
  const [result] = await Promise.all([reencrypt(during.service.db, keys, column, ({ done }) => progress.push(done)), readAll(), readAll()]);
  expect([result, progress.length]).toEqual([{ done: 450, failed: 0 }, 3]);
  expect(await countOutdated(during.service.db, keys, column)).toBe(0);
  expect(await reencrypt(during.service.db, keys, column)).toEqual({ done: 0, failed: 0 });
  await readAll();
  await during.service.stop();

  const after = await patientsUnder(newer);
  expect((await after.patients.getPatient({ id: made[0]?.id ?? '' }, me)).dui).toBe(DUI);
  expect((await after.patients.listPatients({ search: DUI, page: 1, limit: 1 }, me)).total).toBe(450);
  await after.service.stop();
});

test('a process without the key of a value fails with UNAVAILABLE', async () => {
  const me = asUser(randomUUID());
  const writer = await patientsUnder(ring);
  const { id } = await writer.patients.createPatient({ fullName: 'X', phone: '+50370000001', dui: DUI }, me);
  await writer.service.stop();
  const reader = await patientsUnder(older);
  await expect(reader.patients.getPatient({ id }, me)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  await reader.service.stop();
});

test('a value that no key decrypts is reported and left unchanged', async () => {
  const strange = await patientsUnder(key('strange'));
  await strange.patients.createPatient({ fullName: 'X', phone: '+50370000000', dui: DUI }, asUser(randomUUID()));
  await strange.service.stop();
  const { service } = await patientsUnder(ring);
  const keys = keyRing.parse(ring);
  const column = scheduling.personal?.encrypted.find(({ table }) => table === 'patients');
  if (!column) throw new Error('no encrypted column');
  expect(await reencrypt(service.db, keys, column)).toEqual({ done: 0, failed: 1 });
  expect(await countOutdated(service.db, keys, column)).toBe(1);
  await service.stop();
});

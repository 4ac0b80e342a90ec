// Keys are rotated while scheduling serves: old and new values open all the time, and in the end the old key is of no use.
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

/** Asked nothing here. */
const neighbours = { identity: localTransport([]), messaging: localTransport([]), dental: localTransport([]) };
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
  const service = await testService(scheduling, { database, dependencies: neighbours, settings: { ENCRYPTION_KEYS: keys } });
  return { service, patients: service.client(PatientService) };
};

test('what the old key had sealed is found and opened before, meanwhile and after', async () => {
  const me = asUser(randomUUID());
  const before = await patientsUnder(older);
  const made: { id: string }[] = [];
  for (let n = 0; n < 450; n++)
    made.push(await before.patients.createPatient({ fullName: `Paciente ${n}`, phone: `+5037${String(n).padStart(7, '0')}`, dui: DUI }, me));
  await before.service.stop();

  const column = scheduling.personal?.encrypted.find(({ table }) => table === 'patients');
  if (!column) throw new Error('nothing is sealed');
  const during = await patientsUnder(ring);
  const keys = keyRing.parse(ring);
  const readAll = async () => {
    for (const { id } of made.slice(0, 30)) expect((await during.patients.getPatient({ id }, me)).dui).toBe(DUI);
    expect((await during.patients.listPatients({ search: DUI, page: 1, limit: 1 }, me)).total).toBe(450);
  };
  await readAll();
  const told: number[] = [];
  const [result] = await Promise.all([reencrypt(during.service.db, keys, column, ({ done }) => told.push(done)), readAll(), readAll()]);
  expect([result, told.length]).toEqual([{ done: 450, failed: 0 }, 3]);
  expect(await countOutdated(during.service.db, keys, column)).toBe(0);
  expect(await reencrypt(during.service.db, keys, column)).toEqual({ done: 0, failed: 0 });
  await readAll();
  await during.service.stop();

  const after = await patientsUnder(newer);
  expect((await after.patients.getPatient({ id: made[0]?.id ?? '' }, me)).dui).toBe(DUI);
  expect((await after.patients.listPatients({ search: DUI, page: 1, limit: 1 }, me)).total).toBe(450);
  await after.service.stop();
});

test('a process that does not know the key of a value is unavailable for it', async () => {
  const me = asUser(randomUUID());
  const writer = await patientsUnder(ring);
  const { id } = await writer.patients.createPatient({ fullName: 'X', phone: '+50370000001', dui: DUI }, me);
  await writer.service.stop();
  const reader = await patientsUnder(older);
  await expect(reader.patients.getPatient({ id }, me)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  await reader.service.stop();
});

test('a value that no key opens is told and left as it is', async () => {
  const strange = await patientsUnder(key('strange'));
  await strange.patients.createPatient({ fullName: 'X', phone: '+50370000000', dui: DUI }, asUser(randomUUID()));
  await strange.service.stop();
  const { service } = await patientsUnder(ring);
  const keys = keyRing.parse(ring);
  const column = scheduling.personal?.encrypted.find(({ table }) => table === 'patients');
  if (!column) throw new Error('nothing is sealed');
  expect(await reencrypt(service.db, keys, column)).toEqual({ done: 0, failed: 1 });
  expect(await countOutdated(service.db, keys, column)).toBe(1);
  await service.stop();
});

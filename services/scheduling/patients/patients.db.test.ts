// Patients: unique phones, the encrypted DUI, and the search.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { outcomes, type Scheduling, startScheduling } from '../testing/clinic.ts';

let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling();
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});

const DUI = '00016297-5';

describe('the DUI', () => {
  test('is encrypted at rest, whole for one patient and masked in lists; the audit log has each whole read', async () => {
    const id = randomUUID();
    const made = await s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone(), dui: '000162975' }, s.asUser(id));
    expect(made).toMatchObject({ dui: DUI, duiVerified: true });
    expect((await s.patients.getPatient({ id: made.id }, s.asUser(id))).dui).toBe(DUI);
    expect((await s.patients.listPatients({}, s.asUser(id))).patients[0]?.dui).toBe('******97-5');
    const { rows } = await owner.query('select encode(dui_sealed, $2) as ciphertext from scheduling.patients where clinic_id = $1', [id, 'escape']);
    expect(rows[0].ciphertext).not.toContain('00016297');
    const read = await owner.query("select count(*)::int as n from scheduling.audit_log where clinic_id = $1 and action = 'patient.dui_read'", [id]);
    expect(read.rows[0].n).toBe(1);
    const written = await owner.query(
      'select payload::text as text from scheduling.outbox where clinic_id = $1 union all select changes::text from scheduling.audit_log where clinic_id = $1',
      [id],
    );
    expect(written.rows.map((row: { text: string }) => row.text).join()).not.toMatch(/00016297|Rosa/);
  });

  test('with a wrong check digit is accepted as not verified', async () => {
    const id = randomUUID();
    expect(await s.patients.createPatient({ fullName: 'Rosa', phone: s.phone(), dui: '00016297-4' }, s.asUser(id))).toMatchObject({
      dui: '00016297-4',
      duiVerified: false,
    });
    await expect(s.patients.createPatient({ fullName: 'Rosa', phone: s.phone(), dui: '16297-5' }, s.asUser(id))).rejects.toMatchObject({
      details: [{ path: 'dui' }],
    });
  });
});

describe('search', () => {
  test('finds patients by any word of the name, digits of the phone or the exact DUI, in the clinic only', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    for (const clinic of [id, other]) {
      await s.patients.createPatient({ fullName: 'María José Ñuñez', phone: '+50370001111', dui: DUI }, s.asUser(clinic));
      await s.patients.createPatient({ fullName: 'Pedro Mármol', phone: '+50370002222' }, s.asUser(clinic));
    }
    const search = async (text: string) => (await s.patients.listPatients({ search: text }, s.asUser(id))).patients.map((one) => one.fullName);
    expect(await search('nun')).toEqual(['María José Ñuñez']);
    expect(await search('MAR')).toEqual(['María José Ñuñez', 'Pedro Mármol']);
    expect(await search('osé')).toEqual([]);
    expect(await search('7000-2222')).toEqual(['Pedro Mármol']);
    expect(await search(DUI)).toEqual(['María José Ñuñez']);
    expect(await search('00016297-4')).toEqual([]);
    expect(await search("%_'; drop table")).toEqual([]);
  });
});

test('a phone belongs to one patient of a clinic, in any spelling and with concurrent requests', async () => {
  const id = randomUUID();
  const spellings = ['+50371239876', '7123-9876', '503 7123 9876'];
  const calls = Array.from({ length: 9 }, (_, index) => s.patients.createPatient({ fullName: 'Uno', phone: spellings[index % 2] ?? '' }, s.asUser(id)));
  expect(await outcomes(calls)).toEqual({ answered: 1, refused: 8, reasons: ['PHONE_TAKEN'] });
});

test('an update keeps absent fields, clears blank ones, and writes no values to the audit log', async () => {
  const id = randomUUID();
  const made = await s.patients.createPatient(
    { fullName: 'Ana Paz', phone: s.phone(), email: 'ana@example.com', dui: DUI, birthDate: '1990-02-28' },
    s.asUser(id),
  );
  const changed = await s.patients.updatePatient({ id: made.id, fullName: 'Ana Paz de León', email: '', dui: '' }, s.asUser(id));
  expect(changed).toMatchObject({ fullName: 'Ana Paz de León', phone: made.phone, birthDate: '1990-02-28' });
  expect(changed.email).toBeUndefined();
  expect(changed.dui).toBeUndefined();
  const { rows } = await owner.query("select changes from scheduling.audit_log where clinic_id = $1 and action = 'patient.updated'", [id]);
  expect(rows[0].changes.full_name).toEqual({ from: '***', to: '***' });
  await expect(s.patients.updatePatient({ id: made.id, birthDate: '1990-02-30' }, s.asUser(id))).rejects.toMatchObject({ details: [{ path: 'birthDate' }] });
  await expect(s.patients.updatePatient({ id: made.id, fullName: 'X' }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(s.patients.getPatient({ id: made.id }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a patient whose stored e-mail address would be refused today can still be changed', async () => {
  const id = randomUUID();
  const { id: patientId } = await s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone(), email: 'Rosa@Example.com' }, s.asUser(id));
  await owner.query('update scheduling.patients set email = $2 where id = $1', [patientId, 'a,b@example.com']);
  const changed = await s.patients.updatePatient({ id: patientId, notes: 'alérgica' }, s.asUser(id));
  expect(changed).toMatchObject({ email: 'a,b@example.com', notes: 'alérgica' });
  await expect(s.patients.updatePatient({ id: patientId, email: 'c,d@example.com' }, s.asUser(id))).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  expect(await s.patients.updatePatient({ id: patientId, email: 'Rosa@Example.com' }, s.asUser(id))).toMatchObject({ email: 'rosa@example.com' });
});

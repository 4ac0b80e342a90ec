// Patients: unique phones, the encrypted DUI, and the search.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { foldWords, searchName } from '@clinic/lib/formats/search-name.ts';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
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
  test('is encrypted at rest, whole for one patient and masked in lists; the audit log records each read of a whole one', async () => {
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
    expect(await search('\u202e')).toEqual([]); // not visible
    expect(await search('7000-2222')).toEqual(['Pedro Mármol']);
    expect(await search(DUI)).toEqual(['María José Ñuñez']);
    expect(await search('00016297-4')).toEqual([]);
    for (const text of ["%_'; drop table", '%', '_', '\\', "'", '+()']) expect(await search(text)).toEqual([]);
  });

  test('each word begins some word of the name, in any order, without accents and apostrophes', async () => {
    const id = randomUUID();
    for (const fullName of ['José Ángel Núñez Peña', "Rosa O'Brien", 'José Paz']) await s.patients.createPatient({ fullName, phone: s.phone() }, s.asUser(id));
    const search = async (text: string) => (await s.patients.listPatients({ search: text }, s.asUser(id))).patients.map((one) => one.fullName);
    for (const text of ['jose nunez', 'peña, José', 'pen nun ang jos']) expect(await search(text)).toEqual(['José Ángel Núñez Peña']);
    for (const text of ['obrien', 'O’Brien', 'brien rosa', 'o brien']) expect(await search(text)).toEqual(["Rosa O'Brien"]);
    expect(await search('jos')).toEqual(['José Ángel Núñez Peña', 'José Paz']);
    expect(await search('jose nunez rosa')).toEqual([]);
  });

  test('finds the remaining patient by the phone of a merged record', async () => {
    const id = randomUUID();
    const [keep, merged] = [
      await s.patients.createPatient({ fullName: 'Rosa Díaz', phone: '+50370003333' }, s.asUser(id)),
      await s.patients.createPatient({ fullName: 'Rosa Dias', phone: '+50370004444' }, s.asUser(id)),
    ];
    await s.service.client(PatientFamilyService).mergePatients({ keepId: keep.id, mergeId: merged.id }, s.asAdmin(id));
    const search = async (text: string, archived = false) => {
      const { patients, total } = await s.patients.listPatients({ search: text, archived }, s.asUser(id));
      expect(total).toBe(patients.length);
      return patients.map((one) => one.id);
    };
    for (const text of ['7000-4444', '0003333', '7000', '']) expect(await search(text)).toEqual([keep.id]);
    for (const text of ['7000-4444', 'dias rosa', '']) expect(await search(text, true)).toEqual([merged.id]);
    expect(await search('7000-3333', true)).toEqual([]);
  });

  test('of archived patients finds them and records that were merged, but no erased ones', async () => {
    const id = randomUUID();
    const [one, two, erased] = [
      await s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone(), dui: DUI }, s.asUser(id)),
      await s.patients.createPatient({ fullName: 'Rosa Paz', phone: s.phone() }, s.asUser(id)),
      await s.patients.createPatient({ fullName: 'Ana Gil', phone: s.phone() }, s.asUser(id)),
    ];
    const family = s.service.client(PatientFamilyService);
    for (const patient of [one, erased]) await family.archivePatient({ id: patient.id }, s.asAdmin(id));
    await owner.query('update scheduling.patients set erased_at = now() where id = $1', [erased.id]);
    const list = async (search: string, archived: boolean) => (await s.patients.listPatients({ search, archived }, s.asUser(id))).patients;
    expect(await list('', true)).toMatchObject([{ id: one.id, dui: '******97-5', archivedAt: expect.anything() }]);
    expect(await list(DUI, true)).toMatchObject([{ id: one.id }]);
    expect(await list('rosa', true)).toMatchObject([{ id: one.id }]);
    expect(await list('rosa', false)).toMatchObject([{ id: two.id }]);
    expect(await family.restorePatient({ id: one.id }, s.asAdmin(id))).toMatchObject({ dui: DUI });
    const read = await owner.query("select entity_id from scheduling.audit_log where clinic_id = $1 and action = 'patient.dui_read'", [id]);
    expect(read.rows).toEqual([{ entity_id: one.id }]);
  });

  test('names that earlier releases stored are found as new ones after the upgrade', async () => {
    const id = randomUUID();
    const migrations = ['0017_search_joined_words.sql', '0042_search_letters.sql'].map((file) => path.join(import.meta.dirname, '../migrations', file));
    const part = fc.stringMatching(/^[A-Za-zÁÉÍÓÚÜÑáéíóúüñçøłŁØß0-9]{1,6}$/);
    const name = fc.array(fc.tuple(part, fc.constantFrom(' ', "'", '’', '´', '-', ' d’', ", l'")), { minLength: 1, maxLength: 6 });
    const names = [...new Set(fc.sample(name, 300).map((parts) => parts.flat().join('').trim()))];
    const former = (fullName: string) =>
      foldWords(fullName, 'NFKD') // without the letters that Unicode does not decompose
        .map((word) => ` ${word}`)
        .join('');
    await owner.query(
      `insert into scheduling.patients (clinic_id, id, full_name, search_name, phone)
       select $1, gen_random_uuid(), name, former, '+5037' || number from unnest($2::text[], $3::text[]) with ordinality as t (name, former, number)`,
      [id, names, names.map(former)],
    );
    for (const file of migrations) await owner.query(`set search_path = scheduling, public; ${await readFile(file, 'utf8')}`);
    const { rows } = await owner.query('select full_name, search_name from scheduling.patients where clinic_id = $1', [id]);
    const wordsOf = (text: string) => [...new Set(text.split(' '))].toSorted();
    for (const { full_name, search_name } of rows) expect(wordsOf(search_name)).toEqual(wordsOf(searchName(full_name)));
    expect(rows.filter(({ full_name, search_name }) => search_name !== former(full_name)).length).toBeGreaterThan(50);
  });
});

test('a phone belongs to one patient of a clinic, in any spelling and with concurrent requests', async () => {
  const id = randomUUID();
  const spellings = ['+50371239876', '7123-9876', '503 7123 9876'];
  const calls = Array.from({ length: 9 }, (_, index) => s.patients.createPatient({ fullName: 'Uno', phone: spellings[index % 2] ?? '' }, s.asUser(id)));
  expect(await outcomes(calls)).toEqual({ answered: 1, refused: 8, reasons: ['PHONE_TAKEN'] });
});

test('a phone that is taken names the patient who has it, archived or merged', async () => {
  const id = randomUUID();
  const family = s.service.client(PatientFamilyService);
  const add = (fullName: string) => s.patients.createPatient({ fullName, phone: s.phone() }, s.asUser(id));
  const [rosa, twice, ana] = await Promise.all([add('Rosa'), add('Rosa'), add('Ana')]);
  const refusal = (archived: boolean) => ({
    reason: 'PHONE_TAKEN',
    details: [
      { path: 'patient_id', message: rosa.id },
      { path: 'archived', message: String(archived) },
    ],
  });
  const attempts = (phone = '') => [
    () => s.patients.createPatient({ fullName: 'Luz', phone }, s.asUser(id)),
    () => s.patients.createPatient({ fullName: 'Luz', phone }, s.asUser(id, { key: randomUUID(), userId: randomUUID() })),
    () => s.patients.updatePatient({ id: ana.id, phone }, s.asUser(id)),
  ];
  await family.mergePatients({ keepId: rosa.id, mergeId: twice.id }, s.asAdmin(id));
  for (const phone of [rosa.phone, twice.phone]) for (const attempt of attempts(phone)) await expect(attempt()).rejects.toMatchObject(refusal(false));
  const own = { ...refusal(false), message: expect.stringMatching(/^A record that was merged into this patient has this phone number/) };
  await expect(s.patients.updatePatient({ id: rosa.id.toUpperCase(), phone: twice.phone ?? '' }, s.asUser(id))).rejects.toMatchObject(own);
  await family.archivePatient({ id: rosa.id }, s.asAdmin(id));
  for (const attempt of attempts(rosa.phone)) await expect(attempt()).rejects.toMatchObject(refusal(true));
});

test('a birth date lies in the past of the clinic, and the error for a gender names the allowed ones', async () => {
  const id = randomUUID();
  s.clock.set(new Date('2026-06-02T05:00:00Z')); // 23:00 of 1 June in the clinic
  const patient = await s.patients.createPatient({ fullName: 'Luz', phone: s.phone(), birthDate: '2026-05-31' }, s.asUser(id));
  const late = { birthDate: '2026-06-01' };
  for (const attempt of [
    () => s.patients.createPatient({ fullName: 'Luz', phone: s.phone(), ...late }, s.asUser(id)),
    () => s.patients.updatePatient({ id: patient.id, ...late }, s.asUser(id)),
    () => s.service.client(PatientFamilyService).createDependant({ id: patient.id, fullName: 'Beto', ...late }, s.asUser(id)),
  ])
    await expect(attempt()).rejects.toMatchObject({ details: [{ path: 'birthDate', message: 'must be in the past' }] });
  await expect(s.patients.updatePatient({ id: patient.id, gender: 'M' }, s.asUser(id))).rejects.toMatchObject({
    details: [{ path: 'gender', message: 'must be one of female, male, other' }],
  });
});

test('an update leaves absent fields unchanged, clears blank ones, and writes no values to the audit log', async () => {
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

test('a patient can be sent back as a list returned the record', async () => {
  const id = randomUUID();
  const { id: patientId } = await s.patients.createPatient({ fullName: 'Ana Paz', phone: s.phone(), dui: DUI }, s.asUser(id));
  const [listed] = (await s.patients.listPatients({}, s.asUser(id))).patients;
  const { fullName = '', phone = '', dui = '' } = listed ?? {};
  for (const sent of [dui, DUI])
    expect(await s.patients.updatePatient({ id: patientId, fullName, phone, dui: sent, email: '' }, s.asUser(id))).toMatchObject({ ...listed, dui: DUI });
  const { rows } = await owner.query("select from scheduling.audit_log where clinic_id = $1 and action = 'patient.updated'", [id]);
  expect(rows).toEqual([]);
  expect(await s.patients.updatePatient({ id: patientId, dui, notes: 'alérgica' }, s.asUser(id))).toMatchObject({ dui: DUI, notes: 'alérgica' });
  const wrong = { details: [{ path: 'dui' }] };
  await expect(s.patients.updatePatient({ id: patientId, dui: '******00-0' }, s.asUser(id))).rejects.toMatchObject(wrong);
  await s.patients.updatePatient({ id: patientId, dui: '' }, s.asUser(id));
  await expect(s.patients.updatePatient({ id: patientId, dui }, s.asUser(id))).rejects.toMatchObject(wrong);
  // The record of an online booking has no phone until the desk confirms it.
  await owner.query(`update scheduling.patients set claimed_phone = phone, phone = null, archived_at = now() where id = $1`, [patientId]);
  expect(await s.patients.updatePatient({ id: patientId, phone: '', notes: '' }, s.asUser(id))).toMatchObject({ fullName: 'Ana Paz' });
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

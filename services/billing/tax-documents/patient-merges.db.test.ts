// Documents and profiles follow merges of patients and their undos, in whichever order the events arrive.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { orders } from '@clinic/lib/testing/orders.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { v7 } from 'uuid';
import { PATIENT, type TaxOffice, useTaxOffice } from '../testing/tax-office.ts';
import { INVOICE } from '../testing/tax-orders.ts';
import { decryptJson, encryptJson, profileContext } from './encrypted-columns.ts';
import { followAllMerges } from './follow-merges.ts';
import { onPatientsMerged, onPatientsUnmerged } from './patient-merges.ts';

const office = await useTaxOffice();
let clinic: Awaited<ReturnType<TaxOffice['clinic']>>;
beforeEach(async () => {
  clinic = await office.clinic();
});

type Merge = { mergeId: string; keptId: string; mergedId: string };
const into = (keptId: string, mergedId: string): Merge => ({ mergeId: v7(), keptId, mergedId });
const consume = (consumer: Consumer, merge: Merge) => deliver(office.service.db, consumer, clinic.id, create(consumer.event, merge));
const merge = (one: Merge) => consume(onPatientsMerged(office.app), one);
const undo = (one: Merge) => consume(onPatientsUnmerged(office.app), one);
const issue = async () => (await office.documents.checkout({ ...INVOICE, patientId: PATIENT }, clinic.user())).id;
const listed = async (patientId: string) => (await office.documents.listTaxDocuments({ patientId }, clinic.user())).documents.map(({ id }) => id);
const DOCUMENTS = 'select id from dte_documents where clinic_id = $1 and patient_id = $2 order by id desc';
const documents = async (patientId: string) => (await office.query(DOCUMENTS, [clinic.id, patientId])).map(({ id }) => id);
const profiles = async () => (await office.query('select patient_id from dte_tax_profiles where clinic_id = $1', [clinic.id])).map((one) => one.patient_id);

test('documents and profile follow a merge, and its undo; each change is published', async () => {
  const keptId = randomUUID();
  await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
  const id = await issue();
  const one = into(keptId, PATIENT);
  await merge(one);
  expect([await documents(keptId), await documents(PATIENT), await profiles()]).toEqual([[id], [], [keptId]]);
  const published = await office.query('select payload from outbox where clinic_id = $1 order by id desc limit 1', [clinic.id]);
  expect(published).toMatchObject([{ payload: { documentId: id, patientId: keptId, status: 'processed' } }]);
  await undo(one);
  await merge(one); // redelivered
  expect([await documents(keptId), await documents(PATIENT), await profiles()]).toEqual([[], [id], [PATIENT]]);
  expect(await office.receivers.getTaxProfile({ id: PATIENT }, clinic.user())).toMatchObject({ documentNumber: '012345678' });
  const other = into(keptId, PATIENT);
  await undo(other); // the undo of this merge arrives before the merge
  await merge(other);
  expect(await documents(PATIENT)).toEqual([id]);
});

test('the list of a merged record is that of the remaining patient', async () => {
  const keptId = randomUUID();
  const id = await issue();
  await merge(into(keptId, PATIENT));
  expect([await listed(keptId), await listed(PATIENT), await listed(randomUUID())]).toEqual([[id], [id], []]);
});

test('merges that are handled in the wrong order move everything to the last patient, and their undos move exactly that back', async () => {
  const [middle, last] = [randomUUID(), randomUUID()];
  await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
  const [ofPatient, ofMiddle] = [await issue(), await issue()];
  await office.query('update dte_documents set patient_id = $2 where id = $1', [ofMiddle, middle]);
  const [first, second] = [into(middle, PATIENT), into(last, middle)];
  await merge(second);
  await merge(first);
  expect([(await documents(last)).sort(), await profiles()]).toEqual([[ofPatient, ofMiddle].sort(), [last]]);
  await undo(first); // its event arrives before that of the second merge, which was undone first
  expect([await documents(PATIENT), await profiles()]).toEqual([[ofPatient], [PATIENT]]);
  await undo(second);
  expect([await documents(PATIENT), await documents(middle), await documents(last), await profiles()]).toEqual([[ofPatient], [ofMiddle], [], [PATIENT]]);
});

test('merges of two patients into each other, each undone, leave everything where it was, in whichever order they are handled', async () => {
  for (const order of orders([0, 1, 2, 3])) {
    clinic = await office.clinic();
    const other = randomUUID();
    await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
    const id = await issue();
    const [first, second] = [into(other, PATIENT), into(PATIENT, other)];
    const handlers = [() => merge(first), () => undo(first), () => merge(second), () => undo(second)];
    for (const index of order) await handlers[index]?.();
    expect([await documents(PATIENT), await documents(other), await profiles()]).toEqual([[id], [], [PATIENT]]);
  }
});

describe('of several profiles, in whichever order the events are handled, and whenever the job runs,', () => {
  const [first, second, last] = [randomUUID(), randomUUID(), randomUUID()];
  const [one, sibling, other] = [into(second, first), into(last, first), into(last, second)];
  const done = (made: Merge) => () => merge(made);
  const undone = (made: Merge) => () => undo(made);
  test.each([
    ['each returns to its own patient', [done(one), done(other), undone(other), undone(one)], { [first]: first, [second]: second }],
    ['that of the remaining patient is used', [done(one), done(other)], { [first]: first, [last]: second }],
    ['that of the first merge is used if the remaining patient has none', [done(sibling), done(other)], { [last]: first, [second]: second }],
  ])('%s', async (_name, events, expected) => {
    for (const order of orders(events)) {
      clinic = { ...clinic, id: randomUUID() };
      const context = (patientId: string) => profileContext(clinic.id, patientId);
      for (const owner of [first, second]) {
        const profile = encryptJson(office.app.keys, { owner }, context(owner));
        await office.query('insert into dte_tax_profiles values ($1, $2, $3, now())', [clinic.id, owner, profile]);
      }
      for (const event of order) {
        await event();
        await followAllMerges(office.app);
      }
      const stored = await office.query('select patient_id, profile_sealed from dte_tax_profiles where clinic_id = $1', [clinic.id]);
      const ownerIn = ({ patient_id, profile_sealed }: (typeof stored)[number]) =>
        decryptJson<{ owner: string }>(office.app.keys, profile_sealed, context(patient_id)).owner;
      expect(Object.fromEntries(stored.map((row) => [row.patient_id, ownerIn(row)]))).toEqual(expected);
    }
  });
});

test('an undone merge of an earlier release, which still says that it moved a profile, does not move the one of the remaining patient', async () => {
  const one = into(PATIENT, randomUUID());
  await undo(one);
  await office.query('update dte_patient_merges set profile = true where clinic_id = $1', [clinic.id]);
  await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
  await merge(into(PATIENT, randomUUID()));
  expect(await profiles()).toEqual([PATIENT]);
});

test('a merge does not depend on profiles of patients whom no merge connects with it', async () => {
  const [merged, unrelated] = [randomUUID(), randomUUID()];
  await office.query("insert into dte_tax_profiles values ($1, $2, '\\x00', now())", [clinic.id, unrelated]); // cannot be decrypted
  await office.query('insert into dte_patient_merges (clinic_id, merge_id, kept_id, merged_id, undone) values ($1, $2, $3, $4, false)', [
    clinic.id,
    v7(),
    randomUUID(),
    unrelated,
  ]);
  await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
  const one = into(merged, PATIENT);
  await merge(one);
  expect((await profiles()).sort()).toEqual([merged, unrelated].sort());
  await undo(one);
  expect((await profiles()).sort()).toEqual([PATIENT, unrelated].sort());
});

test('a merge locks documents of several patients in the order of their ids, as requests do', async () => {
  const [middle, last] = [randomUUID(), randomUUID()];
  const [ofMiddle, ofPatient] = [await issue(), await issue()];
  const [first, second] = [into(middle, PATIENT), into(last, middle)];
  await merge(second);
  await office.query('update dte_documents set patient_id = $2 where id = $1', [ofMiddle, middle]); // added after the merge
  const request = new pg.Client({ connectionString: office.service.database.ownerUrl });
  await request.connect();
  const lock = (id: string) => request.query('select from billing.dte_documents where id = $1 for no key update', [id]);
  await request.query('begin');
  await lock(ofMiddle);
  const merging = merge(first);
  await waitForLocked(office.service.database.ownerUrl, 1, '%dte_documents%');
  await lock(ofPatient);
  await request.query('commit');
  await request.end();
  await merging;
  expect((await documents(last)).sort()).toEqual([ofMiddle, ofPatient].sort());
});

test('concurrent merges of a chain of patients move everything to the last one', async () => {
  const patients = [PATIENT, ...Array.from({ length: 5 }, () => randomUUID())];
  const id = await issue();
  const merges = patients.slice(1).map((patient, index) => into(patient, patients[index] as string));
  await Promise.all(merges.toReversed().map(merge));
  expect(await documents(patients.at(-1) as string)).toEqual([id]);
  await Promise.all(merges.map(undo));
  expect(await documents(PATIENT)).toEqual([id]);
});

test('documents and a profile that are added to the merged patient while the merge is handled, or later, are moved by the job, and back by the undo', async () => {
  const other = randomUUID();
  const one = into(other, PATIENT);
  const issued = await Promise.all([...Array.from({ length: 6 }, issue), merge(one).then(issue)]);
  await office.receivers.setTaxProfile({ id: PATIENT, documentType: '13', documentNumber: '01234567-8' }, clinic.user());
  await followAllMerges(office.app);
  expect([(await documents(other)).sort(), await documents(PATIENT), await profiles()]).toEqual([issued.sort(), [], [other]]);
  await undo(one);
  await followAllMerges(office.app);
  expect([await documents(other), (await documents(PATIENT)).sort(), await profiles()]).toEqual([[], issued, [PATIENT]]);
});

// Merges of patients.

import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { Client } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { everyDay, MONDAY, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

const DUI = '00016297-5';
const DAY_MS = 86_400_000;

let s: Scheduling;
let family: Client<typeof PatientFamilyService>;
let waitlist: Client<typeof WaitlistService>;
let lookup: Client<typeof LookupService>;
let owner: pg.Client;
let id: string;
let doctorId: string;
beforeAll(async () => {
  s = await startScheduling();
  family = s.service.client(PatientFamilyService);
  waitlist = s.service.client(WaitlistService);
  lookup = s.service.client(LookupService);
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});
beforeEach(async () => {
  s.clock.set(MONDAY);
  const clinic = await s.clinic();
  id = clinic.id;
  doctorId = clinic.doctor.id;
});

const add = (changed: Record<string, string> = {}) => s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone(), ...changed }, s.asUser(id));
const get = (patientId: string) => s.patients.getPatient({ id: patientId }, s.asUser(id));
const book = (phone: string, startTime: string, patientName = 'Rosa Díaz') =>
  s.appointments.bookAppointment({ doctorId, appointmentDate: TUESDAY, startTime, patientName, patientPhone: phone }, s.asUser(id));
const merge = (keepId: string, mergeId: string) => family.mergePatients({ keepId, mergeId }, s.asAdmin(id));
const undo = (mergeId: string) => family.undoMerge({ id: mergeId }, s.asAdmin(id));
const setStatus = (appointmentId: string, status: string) => s.appointments.updateAppointmentStatus({ id: appointmentId, status }, s.asUser(id));
const events = (name: string) => s.published(id, name);

describe('a merge', () => {
  test('moves all rows, fills empty fields, and can be undone', async () => {
    const keep = await add({ email: 'rosa@example.com' });
    const other = await add({ fullName: 'Rosa Dias', dui: DUI, email: 'otra@example.com', address: 'Calle 1' });
    const child = await family.createDependant({ id: other.id, fullName: 'Luz Díaz' }, s.asUser(id));
    const first = await book(other.phone ?? '', '09:00', 'Rosa Dias');
    const missed = await book(other.phone ?? '', '09:30', 'Rosa Dias');
    await setStatus(missed.id, 'no_show');
    const entry = await waitlist.joinWaitlist({ patientId: other.id, dateFrom: TUESDAY, dateTo: TUESDAY }, s.asUser(id));

    const preview = await family.previewMerge({ keepId: keep.id, mergeId: other.id }, s.asAdmin(id));
    expect(preview).toMatchObject({
      keep: { id: keep.id },
      merge: { id: other.id, dui: '******97-5' },
      moved: { appointments: 2, waitlistEntries: 1, dependants: 1 },
      filledFields: ['dui', 'address'],
      differingFields: ['full_name', 'phone', 'email'],
    });
    expect(await get(keep.id)).toMatchObject({ noShowCount: 0 });

    const done = await merge(keep.id, other.id);
    expect(done).toMatchObject({
      keptId: keep.id,
      mergedId: other.id,
      moved: { appointments: 2, waitlistEntries: 1, dependants: 1 },
      filledFields: ['dui', 'address'],
    });
    expect(await get(keep.id)).toMatchObject({ dui: DUI, email: 'rosa@example.com', address: 'Calle 1', noShowCount: 1, fullName: 'Rosa Díaz' });
    expect(await get(other.id)).toMatchObject({ mergedInto: keep.id, fullName: 'Rosa Dias' });
    expect(await get(child.id)).toMatchObject({ guardianId: keep.id });
    expect((await s.appointments.getAppointment({ id: first.id }, s.asUser(id))).patientId).toBe(keep.id);
    expect((await waitlist.listWaitlist({}, s.asUser(id))).entries).toMatchObject([{ id: entry.id, patientId: keep.id }]);
    expect((await s.patients.listPatients({ search: DUI }, s.asUser(id))).patients.map((one) => one.id)).toEqual([keep.id]);
    expect(await events('patients-merged')).toEqual([{ mergeId: done.id, keptId: keep.id, mergedId: other.id }]);
    expect(await events('appointment-reassigned')).toHaveLength(2);
    expect(await family.listMerges({}, s.asAdmin(id))).toMatchObject({ merges: [{ id: done.id }], total: 1, page: 1, limit: 50 });
    for (const patientId of [keep.id, other.id])
      expect(await family.listMerges({ patientId, page: 2, limit: 1 }, s.asAdmin(id))).toMatchObject({ merges: [], total: 1 });
    expect(await family.listMerges({ patientId: child.id }, s.asAdmin(id))).toMatchObject({ merges: [], total: 0 });

    await setStatus(missed.id, 'completed');
    await setStatus(first.id, 'no_show');
    const later = await book(other.phone ?? '', '10:00', 'Rosa Díaz');
    expect(later.patientId).toBe(keep.id);

    expect((await undo(done.id)).undoneAt).toBeDefined();
    expect(await get(keep.id)).toMatchObject({ email: 'rosa@example.com', noShowCount: 0 });
    expect((await get(keep.id)).dui).toBeUndefined();
    const back = await get(other.id);
    expect(back).toMatchObject({ dui: DUI, phone: other.phone, address: 'Calle 1', noShowCount: 1, fullName: 'Rosa Dias' });
    expect([back.mergedInto, back.archivedAt]).toEqual([undefined, undefined]);
    expect(await get(child.id)).toMatchObject({ guardianId: other.id });
    const owners = await Promise.all([first, missed, later].map(async (one) => (await s.appointments.getAppointment({ id: one.id }, s.asUser(id))).patientId));
    expect(owners).toEqual([other.id, other.id, keep.id]);
    expect(await events('patients-unmerged')).toHaveLength(1);
  });

  test('has no personal data in events and in its own row', async () => {
    const [keep, other] = [await add(), await add({ email: 'secret@example.com', dui: DUI })];
    await merge(keep.id, other.id);
    const written = await owner.query(
      `select payload::text as text from scheduling.outbox where clinic_id = $1
       union all select changes::text from scheduling.audit_log where clinic_id = $1
       union all select m::text from scheduling.patient_merges m where clinic_id = $1`,
      [id],
    );
    expect(written.rows.map((row: { text: string }) => row.text).join()).not.toMatch(/secret|00016297|Rosa/);
  });

  test('is refused when data would be lost, and requires two patients of the clinic', async () => {
    const [keep, other] = [await add(), await add()];
    const child = await family.createDependant({ id: keep.id, fullName: 'Luz' }, s.asUser(id));
    await expect(merge(keep.id, keep.id)).rejects.toMatchObject({ details: [{ path: 'mergeId' }] });
    await expect(merge(child.id, other.id)).rejects.toMatchObject({ reason: 'MERGE_REFUSED' });
    await expect(merge(keep.id, randomUUID())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(family.mergePatients({ keepId: keep.id, mergeId: other.id }, s.asAdmin(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(family.mergePatients({ keepId: keep.id, mergeId: other.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await family.archivePatient({ id: keep.id }, s.asAdmin(id));
    await expect(merge(keep.id, other.id)).rejects.toMatchObject({ reason: 'MERGE_REFUSED' });
  });

  test('leaves a record that cannot be changed', async () => {
    const [keep, other] = [await add(), await add()];
    await merge(keep.id, other.id);
    const into = { message: expect.stringContaining(keep.id), details: [{ path: 'merged_into', message: keep.id }] };
    const conflict = { reason: 'CONFLICT', ...into };
    await expect(s.patients.updatePatient({ id: other.id, fullName: 'X' }, s.asUser(id))).rejects.toMatchObject(conflict);
    await expect(family.restorePatient({ id: other.id }, s.asAdmin(id))).rejects.toMatchObject(conflict);
    await expect(family.createDependant({ id: other.id, fullName: 'X' }, s.asUser(id))).rejects.toMatchObject(conflict);
    const third = await add();
    await expect(merge(third.id, other.id)).rejects.toMatchObject({ reason: 'MERGE_REFUSED', ...into });
    await expect(merge(other.id, third.id)).rejects.toMatchObject({ reason: 'MERGE_REFUSED', ...into });
    await expect(lookup.findPatient({ id: other.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(waitlist.joinWaitlist({ patientId: other.id, dateFrom: TUESDAY, dateTo: TUESDAY }, s.asUser(id))).rejects.toMatchObject(conflict);
    const booking = { doctorId, appointmentDate: TUESDAY, startTime: '09:00', patientId: other.id };
    await expect(s.appointments.bookAppointment(booking, s.asUser(id))).rejects.toMatchObject(conflict);
  });

  test('does not lose an opt-out of recall messages by the id of the merged record', async () => {
    const [keep, other] = [await add(), await add()];
    await merge(keep.id, other.id);
    expect(await lookup.setRecallOptOut({ id: other.id }, s.asUser(id))).toMatchObject({ id: keep.id, recallOptedOut: true });
    expect(await get(keep.id)).toMatchObject({ recallOptedOut: true });
  });

  test('opts the dependants out of recall messages that then go to the phone of a patient who opted out', async () => {
    const [keep, other] = [await add(), await add()];
    const child = await family.createDependant({ id: other.id, fullName: 'Luz Díaz' }, s.asUser(id));
    await lookup.setRecallOptOut({ id: keep.id }, asService('messaging', id));
    const before = (await events('patient-updated')).length;
    await merge(keep.id, other.id);
    expect(await get(child.id)).toMatchObject({ guardianId: keep.id, recallOptedOut: true });
    const published = (await events('patient-updated')).slice(before).map(({ patient }) => patient as { patientId: string; recallOptedOut?: boolean });
    expect(published.find(({ patientId }) => patientId === child.id)).toMatchObject({ recallOptedOut: true });
  });

  test('and undoing it do not opt out the dependants of a patient whom only the desk opted out', async () => {
    const [keep, other] = [await add(), await add()];
    const child = await family.createDependant({ id: other.id, fullName: 'Luz Díaz' }, s.asUser(id));
    await lookup.setRecallOptOut({ id: other.id }, s.asUser(id));
    const done = await merge(keep.id, other.id);
    expect(await get(child.id)).toMatchObject({ guardianId: keep.id, recallOptedOut: false });
    await undo(done.id);
    expect(await get(child.id)).toMatchObject({ guardianId: other.id, recallOptedOut: false });
  });

  test.each(['a merge', 'a change of the phone'])('%s that opts a guardian out does the same to the dependants', async (way) => {
    const guardian = await add();
    const reached = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
    const own = await family.createDependant({ id: guardian.id, fullName: 'Sol Díaz' }, s.asUser(id));
    await s.patients.updatePatient({ id: own.id, phone: s.phone() }, s.asUser(id));
    const phone = s.phone();
    const before = (await events('patient-updated')).length;
    if (way === 'a merge') {
      const other = await add({ phone });
      await lookup.setRecallOptOut({ id: other.id }, asService('messaging', id));
      await merge(guardian.id, other.id);
    } else {
      await lookup.setRecallOptOut({ phone }, asService('messaging', id));
      await s.patients.updatePatient({ id: guardian.id, phone }, s.asUser(id));
    }
    const optedOut = await Promise.all([guardian, reached, own].map(async (one) => (await get(one.id)).recallOptedOut));
    expect(optedOut).toEqual([true, true, false]);
    const published = (await events('patient-updated')).slice(before).map(({ patient }) => patient as { patientId: string; recallOptedOut?: boolean });
    expect(published.find(({ patientId }) => patientId === reached.id)).toMatchObject({ recallOptedOut: true });
    const audited = await owner.query('select from scheduling.audit_log where clinic_id = $1 and action = $2 and entity_id = $3', [
      id,
      'patient.recall_opted_out',
      reached.id,
    ]);
    expect(audited.rowCount).toBe(1);
  });

  test('of a record that others were merged into makes their phones find the last record; merges are undone in reverse order', async () => {
    const [a, b, c] = [await add(), await add(), await add()];
    const [ab, appointment] = [await merge(b.id, a.id), await book(a.phone ?? '', '09:00')];
    const bc = await merge(c.id, b.id);
    expect((await book(a.phone ?? '', '09:30')).patientId).toBe(c.id);
    await expect(undo(ab.id)).rejects.toMatchObject({ reason: 'MERGE_NOT_UNDOABLE', details: [{ path: 'merged_into', message: c.id }] });
    await undo(bc.id);
    expect((await s.appointments.getAppointment({ id: appointment.id }, s.asUser(id))).patientId).toBe(b.id);
    await undo(ab.id);
    expect((await book(a.phone ?? '', '10:00')).patientId).toBe(a.id);
  });

  test('of a guardian into a dependant removes the guardian of the dependant, and undoing it restores the guardian', async () => {
    const guardian = await add();
    const child = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
    await s.patients.updatePatient({ id: child.id, phone: s.phone() }, s.asUser(id));
    const preview = await family.previewMerge({ keepId: child.id, mergeId: guardian.id }, s.asAdmin(id));
    const done = await merge(child.id, guardian.id);
    expect(done.moved).toEqual(preview.moved);
    expect((await get(child.id)).guardianId).toBeUndefined();
    await undo(done.id);
    expect(await get(child.id)).toMatchObject({ guardianId: guardian.id });
    expect((await get(guardian.id)).dependants).toMatchObject([{ id: child.id }]);
  });

  test('can be undone once, within 30 days', async () => {
    const [keep, other] = [await add(), await add()];
    const { id: mergeId, undoUntil } = await merge(keep.id, other.id);
    expect(undoUntil && timestampDate(undoUntil)).toEqual(new Date(MONDAY.getTime() + 30 * DAY_MS));
    s.clock.advance(30 * DAY_MS);
    await expect(undo(mergeId)).rejects.toMatchObject({ reason: 'MERGE_NOT_UNDOABLE' });
    s.clock.advance(-1);
    expect(await outcomes(Array.from({ length: 4 }, () => undo(mergeId)))).toEqual({ answered: 1, refused: 3, reasons: ['MERGE_NOT_UNDOABLE'] });
    await expect(family.undoMerge({ id: mergeId }, s.asAdmin(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

describe('concurrency', () => {
  test('only one of several concurrent merges of the same two records, in either direction, takes effect', async () => {
    const [a, b] = [await add(), await add()];
    const same = await Promise.all(Array.from({ length: 6 }, () => merge(a.id, b.id)));
    expect(new Set(same.map((one) => one.id)).size).toBe(1);
    const [c, d] = [await add(), await add()];
    const both = await outcomes(Array.from({ length: 8 }, (_, index) => (index % 2 ? merge(c.id, d.id) : merge(d.id, c.id))));
    expect(both).toEqual({ answered: 4, refused: 4, reasons: ['MERGE_REFUSED'] });
  });

  test('a dependant who loses the phone while the guardian opts out is opted out, too', async () => {
    const guardian = await add();
    const child = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
    await s.patients.updatePatient({ id: child.id, phone: s.phone() }, s.asUser(id));
    await owner.query('begin');
    await owner.query('select from scheduling.patients where id = $1 for update', [guardian.id]);
    await owner.query('update scheduling.patients set recall_opted_out = true where id = $1', [guardian.id]);
    const changing = s.patients.updatePatient({ id: child.id, phone: '' }, s.asUser(id));
    await Promise.race([waitForLocked(s.service.database.ownerUrl), changing]);
    await owner.query('commit');
    expect(await changing).toMatchObject({ recallOptedOut: true });
  });

  test('a patient to whom a dependant is being added cannot lose the phone', async () => {
    const guardian = await add();
    const child = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
    await s.patients.updatePatient({ id: child.id, phone: s.phone() }, s.asUser(id));
    await owner.query('begin');
    await owner.query(
      `insert into scheduling.patients (clinic_id, id, full_name, search_name, guardian_id) values ($1, gen_random_uuid(), 'Sol Díaz', 'sol diaz', $2)`,
      [id, child.id],
    );
    const changing = outcomes([s.patients.updatePatient({ id: child.id, phone: '' }, s.asUser(id))]);
    await Promise.race([waitForLocked(s.service.database.ownerUrl), changing]);
    await owner.query('commit');
    expect(await changing).toMatchObject({ reasons: ['VALIDATION_ERROR'] });
    expect((await get(child.id)).phone).toBeDefined();
  });

  const withDui = {
    'a change of the DUI': ({ id: patientId }: { id: string }) => s.patients.updatePatient({ id: patientId, dui: DUI, notes: 'Cambió' }, s.asUser(id)),
    'a booking with a DUI and another name': (_: object, patientPhone: string) =>
      s.appointments.bookAppointment(
        { doctorId, appointmentDate: TUESDAY, startTime: '08:00', patientName: 'Lucía Díaz', patientPhone, patientDui: DUI },
        s.asUser(id),
      ),
    'a booking by chat with a DUI, when archived,': async (child: { id: string }, patientPhone: string) => {
      await family.archivePatient({ id: child.id }, s.asAdmin(id));
      const booking = { doctorId, appointmentDate: TUESDAY, startTime: '08:00', patientName: 'Lucía Díaz', patientPhone, patientDui: DUI };
      return s.appointments.bookAppointment(booking, asService('messaging', id));
    },
  };
  test.each(Object.entries(withDui))('%s of a dependant does not lock the guardian, whom others lock first', async (_, change) => {
    const guardian = await add();
    const child = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
    const phone = s.phone();
    await s.patients.updatePatient({ id: child.id, phone }, s.asUser(id));
    await owner.query('begin');
    await owner.query('select from scheduling.patients where id = $1 for update', [guardian.id]);
    const { reasons } = await outcomes([change(child, phone)]);
    await owner.query('rollback');
    expect(reasons).toEqual([]);
    expect(await get(child.id)).toMatchObject({ dui: DUI });
  });

  test('an opt-out of a guardian locks the records of the family in the same order as a merge does', async () => {
    const guardian = await add();
    const child = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
    // The dependant is the older record.
    const other = await add();
    await merge(other.id, guardian.id);
    await owner.query('begin');
    await owner.query('select from scheduling.patients where id = $1 for update', [child.id]);
    const merging = merge(other.id, child.id);
    await waitForLocked(s.service.database.ownerUrl);
    const optingOut = lookup.setRecallOptOut({ id: other.id }, asService('messaging', id));
    await waitForLocked(s.service.database.ownerUrl, 2);
    await owner.query('rollback');
    expect(await outcomes([merging, optingOut])).toEqual({ answered: 2, refused: 0, reasons: [] });
    expect(await get(other.id)).toMatchObject({ recallOptedOut: true });
  });

  test('opt-outs, merges, undos and bookings of one family do not block each other for good', async () => {
    const former = await add();
    const names = ['Luz Díaz', 'Eva Díaz', 'Ana Díaz', 'Paz Díaz'];
    const children: { id: string }[] = [];
    for (const fullName of names) children.push(await family.createDependant({ id: former.id, fullName }, s.asUser(id)));
    const guardian = await add();
    await merge(guardian.id, former.id);
    const other = await add();
    for (const [first, second] of [children.slice(0, 2), children.slice(2)]) {
      const optOut = (optIn: boolean) => lookup.setRecallOptOut({ id: former.id, optIn }, asService('messaging', id));
      const done = await merge(other.id, guardian.id);
      await Promise.all(children.map((child) => family.archivePatient({ id: child.id }, s.asAdmin(id))));
      const { reasons } = await outcomes([
        ...[false, true, false].map(optOut),
        undo(done.id),
        ...names.map((name, index) => book(former.phone ?? '', `${String(8 + index).padStart(2, '0')}:${first === children[0] ? '00' : '30'}`, name)),
        merge(first?.id ?? '', second?.id ?? ''),
        ...[true, false].map(optOut),
      ]);
      expect(reasons.filter((reason) => reason !== 'MERGE_REFUSED')).toEqual([]);
    }
  });

  test('a merge locks a dependant with a phone before the dependants of that dependant, as a booking by the phone does', async () => {
    const former = await add();
    const grandchild = await family.createDependant({ id: former.id, fullName: 'Sol Díaz' }, s.asUser(id));
    const { id: childId } = await family.createDependant({ id: (await add()).id, fullName: 'Luz Díaz' }, s.asUser(id));
    const { phone } = await s.patients.updatePatient({ id: childId, phone: s.phone() }, s.asUser(id));
    await merge(childId, former.id); // the grandchild is the older record
    const other = await add();
    await owner.query('begin');
    await owner.query('select from scheduling.patients where id = $1 for update', [grandchild.id]);
    const merging = merge(other.id, childId);
    await waitForLocked(s.service.database.ownerUrl);
    const booking = book(phone ?? '', '09:00', 'Sol Díaz');
    await waitForLocked(s.service.database.ownerUrl, 2);
    await owner.query('rollback');
    expect(await outcomes([merging, booking])).toEqual({ answered: 2, refused: 0, reasons: [] });
    expect(await booking).toMatchObject({ patientId: grandchild.id });
  });

  test.each(['a merge', 'undoing a merge'])(
    '%s that waits for a patient releases the other one, whom a booking that is redirected by a merge locks second',
    async (what) => {
      const [first, second] = [await add(), await add()];
      const done = what === 'a merge' ? undefined : await merge(first.id, second.id);
      const lock = (patientId: string) => owner.query('select from scheduling.patients where id = $1 for no key update', [patientId]);
      await owner.query('begin');
      await lock(second.id);
      const changing = done ? undo(done.id) : merge(first.id, second.id);
      const results = outcomes([changing]);
      await waitForLocked(s.service.database.ownerUrl);
      await lock(first.id);
      await owner.query('rollback');
      expect(await results).toMatchObject({ answered: 1 });
      expect((await get(second.id)).mergedInto).toBe(done ? undefined : first.id);
    },
  );

  test('two bookings of a patient by id wait for each other, so that a merge can follow the first one', async () => {
    const { id: patientId } = await add();
    await owner.query('begin');
    await owner.query('select from scheduling.patients where id = $1 for no key update', [patientId]);
    const booking = s.appointments.bookAppointment({ doctorId, appointmentDate: TUESDAY, startTime: '09:00', patientId }, s.asUser(id));
    const first = await Promise.race([waitForLocked(s.service.database.ownerUrl).then(() => 'waits'), booking.then(() => 'booked')]);
    await owner.query('rollback');
    expect([first, (await booking).patientId]).toEqual(['waits', patientId]);
  });

  test.each(['id', 'phone'])('a merge, and undoing it, end while bookings of both patients by %s follow one another, and no booking is lost', async (by) => {
    const [keep, other] = [await add(), await add()];
    const hours = { workingHours: everyDay('08:00', '12:00') };
    const doctors = await Promise.all(
      ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => s.doctors.createDoctor({ fullName: `Dra. ${name}`, ...hours }, s.asAdmin(id))),
    );
    const booked: string[] = [];
    const slots = doctors.map((doctor, index) => ({ doctor, who: index % 2 ? keep : other, count: 0 }));
    /** Books one slot after the other until \`isOver\`, or until the patient has been merged. */
    const bookSlots = async (slot: (typeof slots)[number], isOver: () => boolean): Promise<void> => {
      const reference = by === 'id' ? { patientId: slot.who.id } : { patientName: 'Rosa Díaz', patientPhone: slot.who.phone ?? '' };
      while (!isOver()) {
        const place = slot.count++;
        const appointmentDate = new Date(Date.UTC(2026, 5, 2 + Math.floor(place / 4))).toISOString().slice(0, 10);
        const booking = { doctorId: slot.doctor.id, appointmentDate, startTime: `${8 + (place % 4)}:00`.padStart(5, '0'), ...reference };
        try {
          booked.push((await s.appointments.bookAppointment(booking, s.asUser(id))).id);
        } catch (error) {
          if (isReason(error, 'CONFLICT') && by === 'id' && slot.who === other) return;
          throw error;
        }
      }
    };
    /** The result of \`work\`, and how many bookings were made while it ran. */
    const during = async <T>(work: () => Promise<T>): Promise<{ result: T; count: number }> => {
      let isOver = false;
      const first = booked.length;
      const bookings = Promise.all(slots.map((slot) => bookSlots(slot, () => isOver)));
      await waitFor(() => booked.length > first + doctors.length);
      const before = booked.length;
      const result = await work();
      const count = booked.length - before;
      isOver = true;
      await bookings;
      return { result, count };
    };
    const ownersOf = async () => {
      const { rows } = await owner.query('select id, patient_id from scheduling.appointments where clinic_id = $1', [id]);
      expect(rows.map((row: { id: string }) => row.id).toSorted()).toEqual(booked.toSorted());
      return [...new Set(rows.map((row: { patient_id: string }) => row.patient_id))].toSorted();
    };
    const merged = await during(() => merge(keep.id, other.id));
    expect(await ownersOf()).toEqual([keep.id]);
    const undone = await during(() => undo(merged.result.id));
    expect(await ownersOf()).toEqual([keep.id, other.id].toSorted());
    expect(Math.max(merged.count, undone.count)).toBeLessThan(10 * doctors.length);
  });

  test('a status change that waited for a merge applies to the appointment of the remaining patient', async () => {
    const [keep, other] = [await add(), await add()];
    const appointment = await book(other.phone ?? '', '09:00');
    await owner.query('begin');
    await owner.query('update scheduling.appointments set patient_id = $2 where id = $1', [appointment.id, keep.id]);
    const changing = setStatus(appointment.id, 'completed');
    await waitForLocked(s.service.database.ownerUrl);
    await owner.query('commit');
    expect(await changing).toMatchObject({ patientId: keep.id, status: 'completed' });
  });

  test('after concurrent bookings, no-shows and merges the merged record has no appointments', async () => {
    const times = ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
    const [keep, other] = [await add(), await add()];
    const [early, late] = [times.slice(0, 4), times.slice(4)];
    const appointments = await Promise.all(early.map((time) => book(other.phone ?? '', time)));
    const work = [
      ...late.map((time) => book(other.phone ?? '', time)),
      ...appointments.map((appointment) => setStatus(appointment.id, 'no_show')),
      merge(keep.id, other.id),
    ];
    expect((await outcomes(work)).reasons).toEqual([]);
    await merge(keep.id, other.id);
    const { rows } = await owner.query('select patient_id, status from scheduling.appointments where clinic_id = $1', [id]);
    expect(rows.filter((row: { patient_id: string }) => row.patient_id !== keep.id)).toEqual([]);
    expect((await get(keep.id)).noShowCount).toBe(rows.filter((row: { status: string }) => row.status === 'no_show').length);
  });
});

// The archive, and dependants of patients.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { Client } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MONDAY, type Scheduling } from '../testing/clinic.ts';
import { type OnlineBooking, patient, startOnlineBooking } from '../testing/online-booking.ts';

const DUI = '00016297-5';

let online: OnlineBooking;
let s: Scheduling;
let family: Client<typeof PatientFamilyService>;
let lookup: Client<typeof LookupService>;
let id: string;
let doctorId: string;
beforeAll(async () => {
  online = await startOnlineBooking();
  s = online.scheduling;
  family = s.service.client(PatientFamilyService);
  lookup = s.service.client(LookupService);
});
afterAll(() => s.service.stop());
beforeEach(async () => {
  s.clock.set(MONDAY);
  const clinic = await s.clinic();
  id = clinic.id;
  doctorId = clinic.doctor.id;
});

const add = () => s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone() }, s.asUser(id));
const get = (patientId: string) => s.patients.getPatient({ id: patientId }, s.asUser(id));
const listed = async () => (await s.patients.listPatients({}, s.asUser(id))).patients.map((one) => one.id);
const events = (name: string) => s.published(id, name);

describe('the archive', () => {
  test('hides a patient from lists without deleting anything; a booking restores the patient', async () => {
    const { id: one, phone = '' } = await add();
    await family.archivePatient({ id: one }, s.asAdmin(id));
    await family.archivePatient({ id: one }, s.asAdmin(id));
    expect(await listed()).toEqual([]);
    expect((await get(one)).archivedAt).toBeDefined();
    expect((await events('patient-updated')).map((event) => event.patient)).toMatchObject([{ isArchived: true }]);
    await s.appointments.bookAppointment({ ...s.booking(doctorId, '09:00'), patientName: 'Rosa Díaz', patientPhone: phone }, s.asUser(id));
    expect(await listed()).toEqual([one]);
    expect((await get(one)).archivedAt).toBeUndefined();
  });

  test('is restored by an admin, and closed to other roles', async () => {
    const { id: one } = await add();
    await family.archivePatient({ id: one }, s.asAdmin(id));
    expect((await family.restorePatient({ id: one }, s.asAdmin(id))).archivedAt).toBeUndefined();
    expect(await listed()).toEqual([one]);
    await expect(family.archivePatient({ id: one }, s.asUser(id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(family.archivePatient({ id: one }, s.asAdmin(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(family.restorePatient({ id: 'x' }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('does not list the record of an online request whose phone is not proven, which cannot be restored, until the desk gives it a phone', async () => {
    const clinic = await online.openClinic();
    online.messaging.channel = '';
    await online.page().beginBooking(clinic.wanted('09:00'), patient);
    await online.page().beginBooking(clinic.wanted('09:30'), patient);
    const [one = '', other = ''] = (await clinic.listed('pending')).appointments.map(({ patientId }) => patientId);
    const archived = async (search = '') => {
      const { patients, total } = await s.patients.listPatients({ search, archived: true }, s.asUser(clinic.id));
      return { ids: patients.map((record) => record.id), total };
    };
    for (const search of ['', 'rosa']) expect(await archived(search)).toEqual({ ids: [], total: 0 });
    await expect(family.restorePatient({ id: one }, s.asAdmin(clinic.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await s.patients.updatePatient({ id: one, phone: s.phone(), dui: DUI }, s.asUser(clinic.id));
    await s.patients.updatePatient({ id: other, dui: DUI }, s.asUser(clinic.id));
    for (const search of ['', 'rosa', DUI]) expect(await archived(search)).toEqual({ ids: [one], total: 1 });
    expect((await family.restorePatient({ id: one }, s.asAdmin(clinic.id))).archivedAt).toBeUndefined();
    const confirmed = (await clinic.listed('pending')).appointments.find(({ patientId }) => patientId === other);
    await s.appointments.updateAppointmentStatus({ id: confirmed?.id ?? '', status: 'confirmed' }, s.asUser(clinic.id));
    expect(await archived()).toEqual({ ids: [other], total: 1 }); // as any record that was merged
  });
});

describe('dependants', () => {
  test('have a guardian instead of a phone, and can be changed like other patients', async () => {
    const guardian = await add();
    const child = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz', birthDate: '2019-03-01', dui: DUI }, s.asUser(id));
    expect((await get(guardian.id)).dependants).toMatchObject([{ id: child.id, fullName: 'Luz Díaz' }]);
    expect((await s.patients.listPatients({ search: 'rosa' }, s.asUser(id))).patients[0]?.dependants).toMatchObject([{ id: child.id }]);
    expect(child).toMatchObject({ fullName: 'Luz Díaz', guardianId: guardian.id, birthDate: '2019-03-01', dui: DUI });
    expect(child.phone).toBeUndefined();
    expect((await family.listDependants({ id: guardian.id }, s.asUser(id))).dependants).toMatchObject([{ id: child.id, dui: '******97-5' }]);
    expect(await family.listDependants({ id: guardian.id, page: 2, limit: 1 }, s.asUser(id))).toMatchObject({ dependants: [], total: 1, page: 2, limit: 1 });
    expect(await lookup.findPatient({ id: child.id }, s.asUser(id))).toMatchObject({ reachablePhone: guardian.phone });
    expect(await s.patients.updatePatient({ id: child.id, notes: 'Alergia' }, s.asUser(id))).toMatchObject({ notes: 'Alergia', guardianId: guardian.id });
    await expect(family.createDependant({ id: child.id, fullName: 'X' }, s.asUser(id))).rejects.toMatchObject({ details: [{ path: 'id' }] });
    await expect(family.createDependant({ id: guardian.id, fullName: 'X' }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('may have a phone and lose it again, which other patients cannot', async () => {
    const guardian = await add();
    const child = await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
    const setPhone = (patientId: string, phone: string) => s.patients.updatePatient({ id: patientId, phone }, s.asUser(id));
    expect((await setPhone(child.id, '')).phone).toBeUndefined();
    const phone = s.phone();
    expect(await setPhone(child.id, phone)).toMatchObject({ phone });
    expect(await setPhone(child.id, '')).toMatchObject({ guardianId: guardian.id });
    expect((await get(child.id)).phone).toBeUndefined();
    await setPhone(child.id, phone);
    await family.createDependant({ id: child.id, fullName: 'Sol Díaz' }, s.asUser(id));
    for (const one of [guardian, child]) await expect(setPhone(one.id, '')).rejects.toMatchObject({ details: [{ path: 'phone' }] });
  });

  test('are opted out of recall messages when the guardian is, whose phone receives them', async () => {
    const guardian = await add();
    const before = await family.createDependant({ id: guardian.id, fullName: 'Sol Díaz' }, s.asUser(id));
    const moved = await s.patients.updatePatient({ id: before.id, phone: s.phone() }, s.asUser(id));
    await lookup.setRecallOptOut({ id: guardian.id }, asService('messaging', id));
    expect((await get(moved.id)).recallOptedOut).toBe(false);
    expect(await s.patients.updatePatient({ id: moved.id, notes: 'Alergia' }, s.asUser(id))).toMatchObject({ recallOptedOut: false });
    expect(await s.patients.updatePatient({ id: moved.id, phone: '' }, s.asUser(id))).toMatchObject({ recallOptedOut: true });
    expect(await family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id))).toMatchObject({ recallOptedOut: true });
    const [created] = (await events('patient-created')).slice(-1);
    expect(created?.patient).toMatchObject({ recallOptedOut: true });
    await lookup.setRecallOptOut({ id: guardian.id, optIn: true }, asService('messaging', id));
    expect((await family.listDependants({ id: guardian.id }, s.asUser(id))).dependants).toMatchObject([{ recallOptedOut: false }, { recallOptedOut: false }]);
  });

  test('are added once for one Idempotency-Key', async () => {
    const guardian = await add();
    const options = s.asUser(id, { key: 'child', userId: randomUUID() });
    const calls = Array.from({ length: 5 }, () => family.createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, options));
    expect(new Set((await Promise.all(calls)).map((child) => child.id)).size).toBe(1);
  });
});

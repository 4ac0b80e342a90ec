// Prescriptions: numbers without gaps under concurrent requests, authors, the PDF, links, merges, and rows that never change.
import { randomUUID } from 'node:crypto';
import { asSystem, execute, sql } from '@clinic/lib/db/db.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { MONDAY, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';

let s: Scheduling;
let license: string | undefined;
let chatStatus: string;
const mails: { to: string; parameters: Record<string, string> }[] = [];

beforeAll(async () => {
  const identity = localTransport([
    fakeOf(ClinicProfileService, { getClinicProfile: async () => ({ name: 'Clínica Sonrisas', currency: 'USD' }) }),
    fakeOf(UserService, { getUser: async (_, { id }) => ({ id, fullName: 'Dra. Ana Rivas', licenseNumber: license }) }),
  ]);
  const messaging = localTransport([
    fakeOf(ChannelService, { getChannelSettings: async () => ({ chatStatus }) }),
    fakeOf(MailService, {
      sendMail: async (_, { to, parameters }) => {
        mails.push({ to, parameters });
        return { id: randomUUID() };
      },
    }),
  ]);
  s = await startScheduling({ identity, messaging });
});
beforeEach(() => {
  s.clock.set(MONDAY);
  [license, chatStatus] = ['JVPO 4321', 'active'];
});
afterAll(() => s.service.stop());

const service = () => s.service.client(PrescriptionService);
const ITEM = { drug: 'Amoxicilina 500 mg', dose: '1 cápsula', frequency: 'Cada 8 horas', duration: '7 días', notes: 'Con alimentos' };

async function practice() {
  const { id } = await s.clinic();
  const patient = await s.patients.createPatient({ fullName: 'Luis Pérez', phone: s.phone(), birthDate: '1980-01-31' }, s.asUser(id));
  const doctor = s.asUser(id, { userId: randomUUID(), role: 'doctor' });
  const write = (patientId = patient.id, as = doctor) => service().createPrescription({ patientId, items: [ITEM] }, as);
  return { id, patient, doctor, write };
}

test('prescriptions are numbered per clinic without gaps, also under concurrent requests, and never change', async () => {
  const { id, patient, doctor, write } = await practice();
  await expect(service().createPrescription({ patientId: randomUUID(), items: [ITEM] }, doctor)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const written = await Promise.all(Array.from({ length: 8 }, () => write()));
  expect(written.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(written[0]).toMatchObject({
    patients: { id: patient.id, fullName: 'Luis Pérez' },
    authorName: 'Dra. Ana Rivas',
    licenseNumber: 'JVPO 4321',
    items: [ITEM],
  });
  expect(await (await practice()).write()).toMatchObject({ number: 1 });

  await s.patients.updatePatient({ id: patient.id, fullName: 'Luisa Paz' }, s.asUser(id));
  const list = async (request: object) => {
    const { prescriptions, total } = await service().listPrescriptions({ patientId: patient.id, ...request }, doctor);
    return [total, prescriptions.map(({ number }) => number)];
  };
  expect(await list({ limit: 2, page: 2 })).toEqual([8, [6, 5]]);
  expect(await list({ authorId: randomUUID() })).toEqual([0, []]);
  expect(await list({ from: '2026-06-01', to: '2026-06-01', limit: 1 })).toEqual([8, [8]]);
  expect(await list({ from: '2026-06-02' })).toEqual([0, []]);
  const ref = { patientId: patient.id, id: written[0]?.id ?? '' };
  expect(await service().getPrescription(ref, doctor)).toEqual(written[0]);
  const change = asSystem(s.service.db, (tx) => execute(tx, sql("update prescriptions set items = '[]' where id = $1"), [ref.id]));
  await expect(change).rejects.toThrow('cannot change');
});

test('doctors can write prescriptions, and so can an admin who has a licence number', async () => {
  const { id, patient, write } = await practice();
  const forbidden = { reason: 'FORBIDDEN', message: 'Only doctors can write prescriptions' };
  await expect(write(patient.id, s.asUser(id))).rejects.toMatchObject(forbidden);
  await expect(service().createPrescription({ patientId: 'none' }, s.asUser(id))).rejects.toMatchObject(forbidden);
  expect(await write(patient.id, s.asAdmin(id))).toMatchObject({ number: 1 });
  license = undefined;
  await expect(write(patient.id, s.asAdmin(id))).rejects.toMatchObject(forbidden);
  expect((await write()).licenseNumber).toBeUndefined();
  for (const [items, path] of [
    [[], 'items'],
    [[ITEM, { ...ITEM, dose: ' ' }], 'items.1.dose'],
  ] as const)
    await expect(service().createPrescription({ patientId: patient.id, items: [...items] }, s.asUser(id, { role: 'doctor' }))).rejects.toMatchObject({
      details: [{ path }],
    });
});

test('a link opens the PDF without sign-in until it expires', async () => {
  const { id, patient, doctor, write } = await practice();
  const { id: prescriptionId } = await write();
  const ref = { patientId: patient.id, id: prescriptionId };
  const send = (channel: string) => service().sendPrescription({ ...ref, channel }, doctor);
  await expect(send('mail')).rejects.toMatchObject({ details: [{ path: 'channel' }] });
  await s.patients.updatePatient({ id: patient.id, email: 'luis@example.com' }, s.asUser(id));
  await send('mail');
  const { to, parameters } = mails.at(-1) ?? { to: '', parameters: {} };
  expect([to, parameters.name, parameters.clinic]).toEqual(['luis@example.com', 'Luis Pérez', 'Clínica Sonrisas']);
  const token = /\/api\/prescriptions\/shared\/([\w-]+)\.pdf$/.exec(parameters.link ?? '')?.[1] ?? '';
  const open = (token: string) => service().openPrescription({ token }, asAnonymous());
  const pdf = await open(token);
  expect(pdf).toEqual(await service().getPrescriptionDocument(ref, doctor));
  const text = textOfPdf(pdf.content);
  for (const words of ['Clínica Sonrisas', 'Receta N.º 1', 'Luis Pérez', 'Amoxicilina 500 mg', 'Cada 8 horas', 'Con alimentos', 'N.º JVPO 4321'])
    expect(text).toContain(words);
  await expect(open(token.replace(/^./, 'B'))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  s.clock.set(new Date(MONDAY.getTime() + 30 * 24 * 3_600_000));
  await expect(open(token)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: expect.stringContaining('expired') });
});

test('for chat, messaging requests the text of the message; without a connected number nothing is sent', async () => {
  const { id, patient, doctor, write } = await practice();
  const ref = { patientId: patient.id, id: (await write()).id };
  const { id: linkId } = await service().sendPrescription({ ...ref, channel: 'chat' }, doctor);
  expect(await service().getPrescriptionMessage({ linkId }, s.asUser(id))).toMatchObject({
    patientId: patient.id,
    number: 1,
    link: expect.stringContaining('/api/prescriptions/shared/'),
  });
  await expect(service().getPrescriptionMessage({ linkId }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  chatStatus = 'disconnected';
  await expect(service().sendPrescription({ ...ref, channel: 'chat' }, doctor)).rejects.toMatchObject({ reason: 'CHAT_NOT_CONNECTED' });
});

test('after a merge the prescriptions of both records are listed; those of another patient or clinic are not found', async () => {
  const { id, patient, doctor, write } = await practice();
  const written = await write();
  const other = await s.patients.createPatient({ fullName: 'Luis P.', phone: s.phone() }, s.asUser(id));
  const missing = { reason: 'NOT_FOUND', message: 'Prescription not found' };
  await expect(service().getPrescription({ patientId: other.id, id: written.id }, doctor)).rejects.toMatchObject(missing);
  await expect(service().getPrescription({ patientId: patient.id, id: written.id }, s.asUser(randomUUID()))).rejects.toMatchObject(missing);
  await s.service.client(PatientFamilyService).mergePatients({ keepId: other.id, mergeId: patient.id }, s.asAdmin(id));
  const { prescriptions } = await service().listPrescriptions({ patientId: other.id }, doctor);
  expect(prescriptions).toMatchObject([{ id: written.id, patients: { id: other.id, fullName: 'Luis Pérez' } }]);
  expect(await write(other.id)).toMatchObject({ number: 2, patients: { id: other.id } });
});

test('each page of a long prescription names the patient', async () => {
  const { patient, doctor } = await practice();
  const { id } = await service().createPrescription({ patientId: patient.id, items: Array.from({ length: 12 }, () => ITEM) }, doctor);
  const text = textOfPdf((await service().getPrescriptionDocument({ patientId: patient.id, id }, doctor)).content);
  expect(text).toMatch(/Receta N.º 1 · Luis PérezPágina 1 de 2[\s\S]*Receta N.º 1 · Luis PérezPágina 2 de 2/);
});

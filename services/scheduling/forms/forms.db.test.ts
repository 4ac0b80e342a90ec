// Forms: templates with versions, filled without sign-in, signed once, and the medical alerts that they propose.
import { createHash, randomUUID } from 'node:crypto';
import { asSystem, execute, rows, sql } from '@clinic/lib/db/db.ts';
import type { ObjectStore } from '@clinic/lib/objects/object-store.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { asAnonymous, asKey, asService } from '@clinic/lib/testing/callers.ts';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import { png } from '@clinic/lib/testing/signature.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { MailService, type SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import { PatientTimelineService } from '@clinic/proto/scheduling/v1/patient_timeline_pb.js';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { checkInToken } from '../check-in/check-in-token.ts';
import { MONDAY, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';
import { purgeFormsJob, storeSignedForm } from './form-jobs.ts';
import { hashForm, parseAnswers, parseFields, proposeAlerts, requireComplete } from './form-rules.ts';
import { STANDARD_TEMPLATES } from './standard-templates.ts';

const OPEN = { name: 'Clínica <Sonrisas>', isActive: true, readOnly: false };
let clinic = OPEN;
const identity = localTransport([
  fakeOf(ClinicProfileService, { getClinicProfile: async () => ({ name: OPEN.name }) }),
  fakeOf(AccessService, { resolveClinic: async () => clinic }),
]);
const mails: SendMailRequest[] = [];
let chatStatus: string;
const messaging = localTransport([
  fakeOf(ChannelService, { getChannelSettings: async () => ({ chatStatus }) }),
  fakeOf(MailService, {
    sendMail: async (_, mail) => {
      mails.push(mail);
      return { id: randomUUID() };
    },
  }),
]);
let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling({ identity, messaging });
});
beforeEach(() => {
  s.clock.set(MONDAY);
  chatStatus = 'active';
  clinic = OPEN;
});
afterAll(() => s.service.stop());

const forms = () => s.service.client(FormService);
const SIGNATURE = png();
const tokenOf = ({ link = '' }: { link?: string | undefined }) => link.split('/').at(-1) ?? '';
const FIELDS = [
  { kind: 'text', label: '¿A qué es alérgico?', required: true, alert: 'allergy' },
  { kind: 'yes_no', label: '¿Tiene asma?', alert: 'condition' },
  { kind: 'signature', label: 'Firma', required: true },
];

/** A clinic with a patient who has an appointment, and a template that each patient is expected to sign. */
async function practice() {
  const { id, doctor } = await s.clinic();
  const booked = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const { patientId } = booked;
  const template = await forms().createFormTemplate({ title: 'Alergias', text: 'Antes de su cita.', fields: FIELDS, required: true }, s.asAdmin(id));
  const send = (templateId = template.id) => forms().createForm({ patientId, templateId }, s.asUser(id));
  const fill = (token: string, ...values: string[]) => {
    const answers = values.flatMap((value, field) => (value ? [{ field, value }] : []));
    return forms().signForm({ token, signerName: 'Luis Pérez', answers }, asAnonymous());
  };
  return { id, doctor, booked, patientId, template, send, fill };
}

test('a clinic begins with the standard templates, and each change of a template creates a version', async () => {
  const { id, template, patientId, send } = await practice();
  const { templates, total } = await forms().listFormTemplates({}, s.asUser(id));
  expect(templates.map(({ title }) => title)).toEqual(['Alergias', ...Object.values(STANDARD_TEMPLATES).map(({ title }) => title)].sort());
  expect(total).toBe(4);
  const form = await send();
  await forms().updateFormTemplate({ id: template.id, title: 'Alergias y asma' }, s.asAdmin(id));
  const changes = Array.from({ length: 4 }, (_, index) => forms().updateFormTemplate({ id: template.id, text: `${index}` }, s.asAdmin(id)));
  expect((await Promise.all(changes)).map(({ version }) => version).sort()).toEqual([3, 4, 5, 6]);
  const { title, fields, required, isActive } = await forms().getFormTemplate({ id: template.id }, s.asUser(id));
  expect(await forms().updateFormTemplate({ id: template.id, title, fields, required, isActive }, s.asAdmin(id))).toMatchObject({ version: 6 });
  expect(await forms().getFormTemplate({ id: template.id }, s.asUser(id))).toMatchObject({ version: 6, title: 'Alergias y asma', required: true });
  expect(await forms().getFormTemplate({ id: template.id, version: 1 }, s.asUser(id))).toMatchObject({ title: 'Alergias', text: 'Antes de su cita.' });
  expect(await forms().getForm({ patientId, id: form.id }, s.asUser(id))).toMatchObject({ templateVersion: 1, title: 'Alergias' });
  await forms().updateFormTemplate({ id: template.id, isActive: false }, s.asAdmin(id));
  expect(await forms().listFormTemplates({ isActive: false }, s.asUser(id))).toMatchObject({ total: 1, templates: [{ id: template.id }] });
  await forms().deleteForm({ patientId, id: form.id }, s.asUser(id));
  await expect(send()).rejects.toMatchObject({ details: [{ path: 'templateId' }] });
  await expect(forms().updateFormTemplate({ id: template.id, title: 'x' }, s.asAdmin(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('no form is created from the data consent before the clinic has edited the note to itself in the text', async () => {
  const { id, booked, patientId, send } = await practice();
  const { templates } = await forms().listFormTemplates({}, s.asUser(id));
  const consent = templates.find(({ text }) => text?.includes('asesor legal'));
  const templateId = consent?.id ?? '';
  await expect(send(templateId)).rejects.toMatchObject({ details: [{ path: 'templateId', message: expect.stringContaining('edit the text') }] });
  await forms().updateFormTemplate({ id: templateId, required: true }, s.asAdmin(id));
  await forms().requestAppointmentForms({ appointmentId: booked.id }, s.asUser(id));
  expect((await forms().listForms({ patientId }, s.asUser(id))).forms.map(({ title }) => title)).toEqual(['Alergias']);
  const [, ...text] = (consent?.text ?? '').split('\n\n');
  await forms().updateFormTemplate({ id: templateId, text: text.join('\n\n') }, s.asAdmin(id));
  expect((await send(templateId)).text).toMatch(/^La clínica trata/);
});

test('answers are saved field by field, and the form is signed once', async () => {
  const { id, patientId, send, fill } = await practice();
  const [form, again] = await Promise.all([send(), send()]);
  expect(again.id).toBe(form.id);
  const token = tokenOf(form);
  const save = (field: number, value: string) => forms().saveFormAnswers({ token, answers: [{ field, value }] }, asAnonymous());
  await Promise.all([save(0, ' Penicilina '), save(1, 'no')]);
  const seen = await forms().getPublicForm({ token }, asAnonymous());
  expect(seen).toMatchObject({ status: 'open', clinicName: 'Clínica <Sonrisas>', firstName: 'Luis', title: 'Alergias', text: 'Antes de su cita.' });
  expect(seen.answers).toMatchObject([
    { field: 0, value: 'Penicilina' },
    { field: 1, value: 'no' },
  ]);
  await expect(fill(token)).rejects.toMatchObject({ details: [{ path: 'answers.2', message: 'is required' }] });
  for (const [field, value] of [
    [3, 'x'],
    [1, 'maybe'],
    [2, 'data:image/png;base64,AAAA'],
    [0, 'x'.repeat(501)],
  ] as const)
    await expect(save(field, value)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  expect(await outcomes(Array.from({ length: 4 }, () => fill(token, '', '', SIGNATURE)))).toMatchObject({ answered: 4 });

  const signed = await forms().getForm({ patientId, id: form.id }, s.asUser(id));
  expect(signed).toMatchObject({ status: 'signed', signerName: 'Luis Pérez', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(signed.link).toBeUndefined();
  expect(signed.answers.map(({ value }) => value)).toEqual(['Penicilina', 'no', SIGNATURE]);
  const shown = await forms().getPublicForm({ token }, asAnonymous());
  expect([shown.status, shown.fields, shown.answers, shown.text]).toEqual(['signed', [], [], undefined]);
  await expect(save(0, 'Ninguna')).rejects.toMatchObject({ reason: 'FORM_SIGNED' });
  await expect(forms().deleteForm({ patientId, id: form.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'FORM_SIGNED' });
  const audited = await asSystem(s.service.db, (tx) =>
    rows(tx, sql<{ hash: string }>("select changes->>'hash' as hash from audit_log where clinic_id = $1 and action = 'form.signed'"), [id]),
  );
  expect(audited).toEqual([{ hash: signed.hash }]);
  // Not even a statement of the system changes a signed form.
  const change = asSystem(s.service.db, (tx) => execute(tx, sql("update forms set answers = '{}' where id = $1"), [form.id]));
  await expect(change).rejects.toThrow('is signed and cannot change');
  expect((await send()).id).not.toBe(form.id);
});

test('the agenda and the check-in show missing forms until they are signed', async () => {
  const { id, booked, template, send, fill } = await practice();
  const missing = async () => (await s.service.client(AgendaService).getAgenda({ date: TUESDAY }, s.asUser(id))).doctors[0]?.visits[0]?.missingForms; // plain-words: visits is public JSON
  const token = checkInToken([{ id: 'test', key: Buffer.alloc(32, 7) }], { clinicId: id, appointmentId: booked.id });
  expect(await s.service.client(CheckInService).getCheckIn({ token }, asAnonymous())).toMatchObject({ missingForms: 1 });
  expect(await missing()).toMatchObject([{ templateId: template.id, title: 'Alergias' }]);
  const { templates } = await forms().listFormTemplates({ required: false }, s.asUser(id));
  const consent = await send(templates.find(({ title }) => title === 'Consentimiento para el tratamiento')?.id);
  const form = await send();
  expect(await missing()).toMatchObject([{ formId: form.id }, { formId: consent.id }]);
  expect((await fill(tokenOf(form), 'Ninguna', 'no', 'typed')).nextToken).toBe(tokenOf(consent));
  const opened = async () => (await forms().getPublicForm({ token: tokenOf(form) }, asAnonymous())).nextToken;
  expect(await opened()).toBe(tokenOf(consent));
  s.clock.set(new Date(s.clock.now().getTime() + 24 * 3_600_000));
  expect([await opened(), (await fill(tokenOf(form), 'Ninguna', 'no', 'typed')).nextToken]).toEqual([undefined, undefined]);
  await forms().deleteForm({ patientId: booked.patientId, id: consent.id }, s.asUser(id));
  expect(await missing()).toEqual([]);
});

test('an answer proposes a medical alert, which is accepted or dismissed once', async () => {
  const { id, patientId, send, fill } = await practice();
  await fill(tokenOf(await send()), 'Penicilina', 'yes', 'typed');
  const list = async (status: string) => (await forms().listAlertProposals({ patientId, status }, s.asUser(id))).proposals;
  const open = await list('open');
  expect(open.map(({ kind, text }) => [kind, text]).sort()).toEqual([
    ['allergy', 'Penicilina'],
    ['condition', '¿Tiene asma?'],
  ]);
  expect((await s.patients.getPatient({ id: patientId }, s.asUser(id))).alerts).toEqual([]);
  const [allergy, asthma] = ['allergy', 'condition'].map((kind) => open.find((one) => one.kind === kind)?.id ?? '');
  const accept = () => forms().acceptAlertProposal({ id: allergy ?? '', severity: 'danger' }, s.asUser(id));
  expect(await outcomes(Array.from({ length: 4 }, accept))).toMatchObject({ answered: 4 });
  await forms().dismissAlertProposal({ id: asthma ?? '' }, s.asUser(id));
  await expect(forms().dismissAlertProposal({ id: allergy ?? '' }, s.asUser(id))).rejects.toMatchObject({ reason: 'PROPOSAL_DECIDED' });
  expect((await s.patients.getPatient({ id: patientId }, s.asUser(id))).alerts).toMatchObject([{ kind: 'allergy', severity: 'danger', text: 'Penicilina' }]);
  expect([await list('open'), (await list('accepted')).length, (await list('dismissed')).length]).toEqual([[], 1, 1]);
  await expect(forms().acceptAlertProposal({ id: asthma ?? '' }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a form that is still open is assigned to the appointment for which it is requested again', async () => {
  const { id, booked, patientId, send } = await practice();
  const form = await send();
  const ask = (appointmentId?: string) => forms().createForm({ patientId, templateId: form.templateId, ...(appointmentId && { appointmentId }) }, s.asUser(id));
  expect(await ask(booked.id)).toMatchObject({ id: form.id, appointmentId: booked.id });
  expect(await ask()).toMatchObject({ id: form.id, appointmentId: booked.id });
  expect(await forms().listForms({ appointmentId: booked.id }, s.asUser(id))).toMatchObject({ total: 1, forms: [{ id: form.id }] });
});

test('a patient cannot change a form while the clinic is read-only, nor open one while it is suspended', async () => {
  const { send, fill } = await practice();
  const token = tokenOf(await send());
  const save = () => forms().saveFormAnswers({ token, answers: [{ field: 0, value: 'Látex' }] }, asAnonymous());
  const read = () => forms().getPublicForm({ token }, asAnonymous());
  clinic = { ...OPEN, readOnly: true };
  for (const change of [save, () => fill(token, 'Látex', 'no', SIGNATURE)]) await expect(change()).rejects.toMatchObject({ reason: 'READ_ONLY' });
  expect(await read()).toMatchObject({ status: 'open', answers: [], readOnly: true });
  clinic = { ...OPEN, isActive: false };
  for (const call of [save, read]) await expect(call()).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  clinic = OPEN;
  expect(await save()).toMatchObject({ answers: [{ field: 0, value: 'Látex' }] });
});

test('a form is found only under its own patient, in its own clinic, and by its own token', async () => {
  const { id, doctor, patientId, send } = await practice();
  const other = await s.appointments.bookAppointment(s.booking(doctor.id, '10:00'), s.asUser(id));
  const form = await send();
  const missing = { reason: 'NOT_FOUND', message: 'Form not found' };
  for (const refused of [
    forms().getForm({ patientId: other.patientId, id: form.id }, s.asUser(id)),
    forms().deleteForm({ patientId: other.patientId, id: form.id }, s.asUser(id)),
    forms().getForm({ patientId, id: form.id }, s.asUser(randomUUID())),
    forms().getPublicForm({ token: 'a'.repeat(66) }, asAnonymous()),
    forms().saveFormAnswers({ token: '', answers: [] }, asAnonymous()),
  ])
    await expect(refused).rejects.toMatchObject(missing);
  const unfit = forms().createForm({ patientId, templateId: form.templateId, appointmentId: other.id }, s.asUser(id));
  await expect(unfit).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Appointment not found' });
  await s.service.client(PatientFamilyService).mergePatients({ keepId: other.patientId, mergeId: patientId }, s.asAdmin(id));
  expect(await forms().listForms({ patientId: other.patientId, status: 'open' }, s.asUser(id))).toMatchObject({
    total: 1,
    forms: [{ id: form.id, patients: { id: other.patientId } }],
  });
});

test('an integration key gets the link of a form only from what needs the scope to write', async () => {
  const { id, patientId, template, send } = await practice();
  const form = await send();
  const { forms: listed } = await forms().listForms({ patientId }, asKey(id));
  const shown = [...listed, await forms().getForm({ patientId, id: form.id }, asKey(id))];
  expect(shown.map((one) => [one.id, one.link])).toEqual(Array(2).fill([form.id, undefined]));
  expect(await forms().getForm({ patientId, id: form.id }, s.asUser(id))).toMatchObject({ link: form.link });
  expect(await forms().createForm({ patientId, templateId: template.id }, asKey(id))).toMatchObject({ id: form.id, link: form.link });
});

test('a form that nobody fills in for 90 days is deleted', async () => {
  const { id, patientId, send } = await practice();
  const form = await send();
  for (const [days, total] of [
    [89, 1],
    [91, 0],
  ] as const) {
    s.clock.set(new Date(MONDAY.getTime() + days * 86_400_000));
    await purgeFormsJob({ db: s.service.db, clock: s.clock }).work({});
    expect((await forms().listForms({ patientId }, s.asUser(id))).total).toBe(total);
  }
  await expect(forms().getPublicForm({ token: tokenOf(form) }, asAnonymous())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('the PDF has questions and answers; that of a signed form never changes', async () => {
  const { id, patientId, send, fill } = await practice();
  const form = await send();
  const pdf = async () => Buffer.from((await forms().getFormDocument({ patientId, id: form.id }, s.asUser(id))).content);
  expect(textOfPdf(await pdf())).toContain('¿Tiene asma?');
  await fill(tokenOf(form), 'Penicilina', 'yes', SIGNATURE);
  const signed = await pdf();
  for (const words of ['Clínica <Sonrisas>', 'Penicilina', 'Sí', 'Luis Pérez', 'SHA-256']) expect(textOfPdf(signed)).toContain(words);
  s.clock.advance(86_400_000);
  expect((await pdf()).equals(signed)).toBe(true);
});

test('a form is sent by chat or mail until it is signed', async () => {
  const { id, patientId, send, fill } = await practice();
  const form = await send();
  const by = (channel: string) => forms().sendForm({ patientId, id: form.id, channel }, s.asUser(id));
  await expect(by('mail')).rejects.toMatchObject({ details: [{ path: 'channel' }] });
  await s.patients.updatePatient({ id: patientId, email: 'luis@example.com' }, s.asUser(id));
  expect(await by('mail')).toMatchObject({ id: form.id, link: form.link });
  const parameters = { name: 'Luis Pérez', clinic: 'Clínica <Sonrisas>', title: 'Alergias', link: form.link };
  expect(mails).toMatchObject([{ kind: 'form', to: 'luis@example.com', parameters }]);
  await by('chat');
  const message = () => forms().getFormMessage({ id: form.id }, s.asUser(id));
  expect(await message()).toMatchObject({ patientId, title: 'Alergias', link: form.link });
  chatStatus = 'disconnected';
  await expect(by('chat')).rejects.toMatchObject({ reason: 'CHAT_NOT_CONNECTED' });
  await fill(tokenOf(form), 'Ninguna', 'no', 'typed');
  await expect(by('mail')).rejects.toMatchObject({ reason: 'FORM_SIGNED' });
  await expect(message()).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a reminder requests the required forms once per patient, and the forms of the appointment type once per appointment', async () => {
  const { id, doctor, patientId, template, fill } = await practice();
  const consent = await forms().createFormTemplate({ title: 'Consentimiento', fields: [{ kind: 'signature', label: 'Firma' }] }, s.asAdmin(id));
  const types = s.service.client(AppointmentTypeService);
  const type = { name: 'Extracción', durationMinutes: 30, color: '#1565C0' };
  await expect(types.createAppointmentType({ ...type, formTemplateIds: [randomUUID()] }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const { id: typeId } = await types.createAppointmentType({ ...type, formTemplateIds: [consent.id] }, s.asAdmin(id));
  const book = (startTime: string) =>
    s.appointments.bookAppointment({ doctorId: doctor.id, appointmentDate: TUESDAY, startTime, patientId, typeId }, s.asUser(id));
  const missing = async (appointmentId: string) =>
    (await s.service.client(LookupService).findAppointmentWithContact({ id: appointmentId }, asService('messaging', id))).missingForms;
  const request = (appointmentId: string) => forms().requestAppointmentForms({ appointmentId }, s.asUser(id));
  const first = await book('10:00');
  expect(await missing(first.id)).toBe(2);
  const [message] = await Promise.all(Array.from({ length: 4 }, () => request(first.id)));
  expect(message).toMatchObject({ patientId, title: template.title });
  const { forms: created } = await forms().listForms({ patientId }, s.asUser(id));
  expect(created.map(({ templateId, appointmentId, createdBy }) => [templateId, appointmentId, createdBy]).sort()).toEqual(
    [template, consent].map((one) => [one.id, first.id, undefined]).sort(),
  );
  s.clock.advance(60_000);
  for (const form of created) await fill(tokenOf(form), ...(form.templateId === template.id ? ['Ninguna', 'no', 'typed'] : ['typed']));
  expect(await missing(first.id)).toBe(0);
  await expect(request(first.id)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  s.clock.advance(60_000);
  const second = await book('11:00');
  expect([await missing(second.id), await missing(first.id)]).toEqual([1, 0]);
  await s.appointments.updateAppointmentStatus({ id: second.id, status: 'cancelled' }, s.asUser(id));
  await expect(request(second.id)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test.each(['createForm', 'requestAppointmentForms'] as const)('%s locks the appointment before the patient, as a merge does', async (method) => {
  const { id, booked, patientId, template } = await practice();
  const { ownerUrl } = s.service.database;
  const merging = new pg.Client({ connectionString: ownerUrl });
  await merging.connect();
  await merging.query('begin');
  await merging.query('select from scheduling.appointments where id = $1 for update', [booked.id]);
  const adding = forms()[method]({ patientId, templateId: template.id, appointmentId: booked.id }, s.asUser(id));
  await waitForLocked(ownerUrl);
  const locking = merging.query('select from scheduling.patients where id = $1 for update nowait', [patientId]);
  await locking.finally(() => merging.end());
  await adding;
  expect((await forms().listForms({ patientId }, s.asUser(id))).forms).toMatchObject([{ templateId: template.id, appointmentId: booked.id }]);
});

test('the PDF of a signed form becomes one file of the patient, despite crashes and repetitions', async () => {
  const { id, patientId, send, fill } = await practice();
  const form = await send();
  const app = { db: s.service.db, clock: s.clock, keys: testRing, profile: createClient(ClinicProfileService, identity) };
  const drain: ObjectStore['put'] = async (_key, _size, content) => void (await Array.fromAsync(content));
  const store = (put = drain) => storeSignedForm({ ...app, files: { put } as ObjectStore }, { clinicId: id, id: form.id });
  const stored = async () => (await s.service.client(PatientFileService).listPatientFiles({ patientId }, s.asUser(id))).files;
  await store();
  expect(await stored()).toEqual([]);
  await fill(tokenOf(form), 'Penicilina', 'yes', SIGNATURE);
  await expect(store(() => Promise.reject(new Error('killed')))).rejects.toThrow('killed');
  await Promise.allSettled([store(), store(), store()]);
  await store();
  const { fileId } = await forms().getForm({ patientId, id: form.id }, s.asUser(id));
  const { content } = await forms().getFormDocument({ patientId, id: form.id }, s.asUser(id));
  expect(await stored()).toMatchObject([{ id: fileId, name: 'Alergias.pdf', hash: createHash('sha256').update(content).digest('hex') }]);
  const { entries } = await s.service.client(PatientTimelineService).getPatientTimeline({ patientId }, s.asUser(id));
  expect(entries.map(({ kind, title }) => [kind, title])).toEqual([
    ['appointment', 'Dra. Ana Rivas'],
    ['form', 'Alergias'],
  ]);
});

test('invalid fields and answers are refused with their paths', () => {
  const field = { kind: 'text', label: 'x', options: [], required: false };
  for (const [wrong, path] of [
    [{ kind: 'file' }, 'fields.0.kind'],
    [{ label: ' ' }, 'fields.0.label'],
    [{ options: ['a', 'b'] }, 'fields.0.options'],
    [{ kind: 'choice', options: ['a'] }, 'fields.0.options'],
    [{ kind: 'choice', options: ['a', 'a'] }, 'fields.0.options'],
    [{ kind: 'date', alert: 'allergy' }, 'fields.0.alert'],
    [{ alert: 'fear' }, 'fields.0.alert'],
  ] as const)
    expect(() => parseFields([{ ...field, ...wrong, options: [...('options' in wrong ? wrong.options : [])] }])).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    );
  for (const { fields } of Object.values(STANDARD_TEMPLATES)) {
    const input = fields.map(({ help, alert, ...rest }) => ({ ...rest, ...(help && { help }), ...(alert && { alert }) }));
    expect(parseFields(input)).toEqual(fields);
    expect(() => requireComplete(fields, {})).toThrow();
  }
  const date = parseFields([{ ...field, kind: 'date' }]);
  expect(parseAnswers(date, [{ field: 0, value: '2026-02-28' }], () => true)).toEqual({ 0: '2026-02-28' });
  expect(() => parseAnswers(date, [{ field: 0, value: '2026-02-30' }], () => true)).toThrow();
});

test('alerts are proposed unless the answer is a plain no, and the hash covers questions and answers', () => {
  const fields = parseFields([{ kind: 'text', label: 'Alergias', options: [], required: true, alert: 'allergy' }]);
  for (const no of ['No', 'ninguna', 'Ninguno.', 'N/A', '']) expect(proposeAlerts(fields, { 0: no })).toEqual([]);
  for (const text of ['No tolero la penicilina', 'Ninguna grave, polen']) expect(proposeAlerts(fields, { 0: text })).toEqual([{ kind: 'allergy', text }]);
  const form = {
    ...{ id: 'a', patient_id: 'b', template_id: 'c', template_version: 1, title: 't', text: null, fields, answers: { 0: 'x' } },
    ...{ signer_name: 'n', signed_at: MONDAY },
  };
  const changes = [
    ...[{}, { id: 'x' }, { patient_id: 'x' }, { template_id: 'x' }, { template_version: 2 }, { title: 'x' }, { text: 'x' }],
    ...[{ fields: [{ ...fields[0], label: 'x' } as (typeof fields)[number]] }, { answers: {} }, { signer_name: 'x' }, { signed_at: new Date(0) }],
  ];
  expect(new Set(changes.map((change) => hashForm({ ...form, ...change }).toString('hex'))).size).toBe(changes.length);
});

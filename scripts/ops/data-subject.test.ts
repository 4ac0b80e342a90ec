// Exports and erases a patient and a clinic of a running product, and then searches a backup of all data for their personal data.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { encryptionKeyRing } from '@clinic/lib/config/config.ts';
import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import { serviceKeys } from '@clinic/lib/crypto/service-keys.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type Api, apiAt, type Body, expectStatus } from '../../e2e/api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, inDays, newClinic } from '../../e2e/clinic.ts';
import { furnish } from '../../e2e/furnish.ts';
import { asOwner, ownerUrl } from '../../e2e/product-internals.ts';
import { type Scripts, startScript, startScripts } from '../../e2e/setup/ops.ts';
import { encryptDelivery } from '../../services/messaging/inbox/delivery-store.ts';
import { mailContext } from '../../services/messaging/mail/store-mail.ts';
import { tryLock, withClient } from '../database.ts';
import { type Product, startProduct } from '../dev/product.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { SERVICES } from '../schemas.ts';

const folder = tempFolder('subject');
const PHONE = '+50361234987';
const OLD_PHONE = '+50361234988';
const NAME = 'Zulema Ytzcóatl';
const EMAIL = 'zulema@correo.example';
/** Of a chat before the patient changed the phone. */
const FORMER_PHONE = '+50361234986';
/** The names of online bookings, by phone. */
const CLAIMS = { [PHONE]: `${NAME} en línea`, [FORMER_PHONE]: `${NAME} antes en línea` };
const OTHERS_PHONE = '+50361234985';
/** Named in an online booking only. */
const BOOKING_EMAIL = 'ytzcoatl@correo.example';
const OTHER_EMAIL = `not-${EMAIL}`;
/** A mail that was not sent. */
const toMail = (kind: string, to: string, name = 'Rosa') => ({ id: uuidv7(), kind, to, name });
/** Of the patient. */
const ownMails = [toMail('booking_code', EMAIL.toUpperCase()), toMail('form', BOOKING_EMAIL), toMail('agenda', OTHER_EMAIL, NAME)];
/** Of other patients and of users, who may have the name and the address of the patient. */
const otherMails = [toMail('form', OTHER_EMAIL), toMail('password_reset', EMAIL, NAME), toMail('user_invited', BOOKING_EMAIL), toMail('agenda', EMAIL)];
const SECRETS = [
  NAME,
  'Zulema',
  FORMER_PHONE.slice(1),
  PHONE.slice(1),
  OLD_PHONE.slice(1),
  EMAIL,
  BOOKING_EMAIL,
  'Calle del Canario 9',
  'canario-',
  '00016297-5',
];

let product: Product;
let scripts: Scripts;
let api: Api;
let clinic: Clinic;
let patient: Body;
let appointment: Body;

const ops = (...words: string[]) => scripts.run('scripts/ops/ops.ts', ...words);
const who = () => ['--clinic', clinic.id, '--patient', patient.id];
/** The patient with a former phone. */
const whole = () => [...who(), '--phones', FORMER_PHONE];
const sql = (text: string, values: unknown[] = []) => asOwner({ dataDir: folder }, text, values);
const lines = (file: string): Body[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The occurrences of the texts in a backup of all data, as `<file>: <text>`. */
async function traces(texts: string[]): Promise<string[]> {
  const archive = path.join(folder, `archive-${uuidv7()}`);
  expect(await scripts.run('scripts/ops/backup.ts', '--to', archive)).toMatchObject({ status: 0 });
  const files = readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.gz'));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) => {
    const text = gunzipSync(readFileSync(path.join(archive, file))).toString();
    return texts.filter((one) => text.includes(one)).map((one) => `${file}: ${one}`);
  });
  rmSync(archive, { recursive: true });
  return found;
}

beforeAll(async () => {
  scripts = startScripts(folder);
  product = await startProduct('single', { DATA_DIR: folder });
  api = apiAt(product.api);
  clinic = await newClinic(api);
  const doctor = await addDoctor(api, clinic);
  const details = { email: EMAIL, address: 'Calle del Canario 9', notes: 'canario-patient', birthDate: '1980-02-03', dui: '00016297-5' };
  patient = await addPatient(api, clinic, { fullName: `${NAME} de antes`, phone: PHONE, ...details }); // the booking below renames the patient
  const double = await addPatient(api, clinic, { fullName: `${NAME} bis`, phone: OLD_PHONE });
  await expectStatus(200, api.post('/api/patients/merge', { keepId: patient.id, mergeId: double.id }, clinic));
  appointment = await book(api, clinic, { ...booking(doctor.id, '09:00'), patientName: NAME, patientPhone: PHONE, notes: 'canario-appointment' });
  const plan = (
    await expectStatus(201, api.post('/api/dental/treatment-plans', { patient_id: patient.id, title: 'canario-plan', notes: 'canario-plan' }, clinic))
  ).body;
  await expectStatus(201, api.post(`/api/dental/treatment-plans/${plan.id}/steps`, { procedure: 'canario-step', estimated_cost: 90 }, clinic));
  await expectStatus(201, api.post(`/api/dental/treatment-plans/${plan.id}/quote`, { valid_until: '2199-12-31' }, clinic));
  const payments = { patient_id: patient.id, treatment_plan_id: plan.id, description: 'canario-payments', total_amount: 90, installments: 3 };
  const paying = (await expectStatus(201, api.post('/api/dental/payment-plans', payments, clinic))).body;
  await expectStatus(201, api.post(`/api/dental/payment-plans/${paying.id}/payments`, { amount: 30, payment_method: 'cash', notes: 'canario-paid' }, clinic));
  const finding = { tooth: 16, surfaces: ['M'], finding: 'caries', status: 'existing', notes: 'canario-chart' };
  await expectStatus(201, api.post(`/api/dental/charts/${patient.id}/entries`, finding, clinic));
  const wish = { patientId: patient.id, dateFrom: inDays(3), dateTo: inDays(9), notes: 'canario-waitlist' };
  await expectStatus(201, api.post('/api/waitlist', wish, clinic));
  await addPatient(api, clinic, { fullName: 'Rosa Otra', phone: OTHERS_PHONE });
  await sql(`insert into messaging.conversations (clinic_id, id, phone, last_message) values ($1, $2, $3, 'canario-former')`, [
    clinic.id,
    uuidv7(),
    FORMER_PHONE,
  ]);
  const [conversation, delivery] = [uuidv7(), uuidv7()];
  await sql(`insert into messaging.conversations (clinic_id, id, phone, patient_id, patient_name, last_message) values ($1, $2, $3, $4, $5, 'canario-chat')`, [
    clinic.id,
    conversation,
    PHONE,
    patient.id,
    NAME,
  ]);
  await sql(
    `insert into messaging.messages (clinic_id, id, conversation_id, direction, sender, type, content, status, handled_at, created_at)
     values ($1, $2, $3, 'in', 'patient', 'text', '{"text":"canario-chat"}', 'received', now(), now())`,
    [clinic.id, uuidv7(), conversation],
  );
  const ring = encryptionKeyRing.parse(/^ENCRYPTION_KEYS=(.*)$/m.exec(readFileSync(path.join(folder, 'secrets.env'), 'utf8'))?.[1]);
  const keys = serviceKeys(ring, 'messaging');
  const body = Buffer.from(JSON.stringify({ from: PHONE.slice(1) }));
  await sql(`insert into messaging.chat_events (id, body_sealed, bytes, status) values ($1, $2, 9, 'done')`, [delivery, encryptDelivery(keys, delivery, body)]);
  // The patient has changed the phone since this booking. Mails name a patient by the first name at most.
  await sql(
    `insert into scheduling.booking_requests
       (clinic_id, id, type_id, doctor_id, appointment_date, start_time, draft_id, full_name, phone, email, state, appointment_id, created_at, expires_at)
     values ($1, $2, $2, $2, '2199-01-01', '09:00', $2, 'canario-booking', '+50361234989', $3, 'booked', $4, now(), now())`,
    [clinic.id, uuidv7(), BOOKING_EMAIL, appointment.id],
  );
  // Online bookings whose phones were not proven, which the desk has not decided on.
  for (const [phone, name] of Object.entries(CLAIMS))
    await sql(
      `insert into scheduling.patients (clinic_id, id, full_name, search_name, claimed_phone, archived_at, created_at, updated_at)
       values ($1, $2, $3, $3, $4, now(), now(), now())`,
      [clinic.id, uuidv7(), name, phone],
    );
  for (const { id, kind, to, name } of [...ownMails, ...otherMails]) {
    const parameters = { name, link: 'canario-link', manage: 'canario-manage', forms: 'canario-forms', code: 'canario-code' };
    const [address, content] = (
      [
        ['to', to],
        ['content', JSON.stringify({ parameters, attachments: [] })],
      ] as const
    ).map(([column, text]) => encrypt(keys, text, mailContext(id, column)));
    await sql(
      `insert into messaging.mails (id, kind, to_sealed, content_sealed, state, next_attempt_at, created_at, updated_at)
       values ($1, $2, $3, $4, 'dead', now(), now(), now())`, // plain-words: sealed is in the names of columns
      [id, kind, address, content],
    );
  }
});
afterAll(async () => {
  await scripts.stop();
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the export of a patient has the data of every service, with the national id decrypted', async () => {
  const file = path.join(folder, 'patient.jsonl');
  expect(await ops('export-patient', ...whole(), '--to', file)).toMatchObject({ status: 0, stderr: '' });
  const records = lines(file);
  const of = (service: string, table: string) => records.filter((one) => one.service === service && one.table === table);
  expect(
    of('scheduling', 'patients')
      .map(({ full_name }) => full_name)
      .sort(),
  ).toEqual([NAME, ...Object.values(CLAIMS), `${NAME} bis`].sort());
  expect(of('scheduling', 'patients').find(({ id }) => id === patient.id)).toMatchObject({ dui: '00016297-5', phone: PHONE });
  for (const [service, table] of [
    ['scheduling', 'appointments'],
    ['scheduling', 'waitlist_entries'],
    ['dental', 'treatment_plans'],
    ['dental', 'quotes'],
    ['dental', 'payments'],
    ['dental', 'chart_entries'],
    ['messaging', 'messages'],
    ['messaging', 'chat_events'],
    ['scheduling', 'booking_requests'],
  ] as const)
    expect([table, of(service, table).length]).toEqual([table, 1]);
  const chats = of('messaging', 'conversations').map(({ phone }) => phone);
  expect(chats.toSorted()).toEqual([FORMER_PHONE, PHONE]);
  const idsAndNames = ({ id, to, name }: (typeof ownMails)[number]) => ({ id, to, content: JSON.stringify({ parameters: { name }, attachments: [] }) });
  expect(of('messaging', 'mails')).toEqual(ownMails.map((one) => expect.objectContaining(idsAndNames(one))));
  expect(JSON.stringify(records)).not.toMatch(/dui_index|_hash"|canario-(link|manage|forms|code)/);
  expect(await ops('export-patient', ...who(), '--to', file)).toMatchObject({ status: 1, stderr: `${file} already exists: choose a new file.\n` });
});

test('nothing is erased without --yes, nor while an appointment is upcoming', async () => {
  expect(await ops('erase-patient', ...who())).toMatchObject({ status: 1, stderr: expect.stringContaining('--dry-run first') });
  expect(await ops('erase-patient', ...who(), '--yes')).toMatchObject({ status: 1, stderr: expect.stringContaining('1 upcoming appointment') });
  for (const [phones, complaint] of [
    ['61234986', 'number 1 of the list must be a phone with its country code'],
    [`${FORMER_PHONE},${OTHERS_PHONE}`, 'number 2 of the list is now the phone of another patient'],
  ] as const)
    expect(await ops('erase-patient', ...who(), '--dry-run', '--phones', phones)).toMatchObject({ status: 1, stderr: expect.stringContaining(complaint) });
  expect(await ops('erase-patient', ...who(), '--dry-run')).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/1 upcoming appointment[\s\S]*scheduling\.patients: 3 would be blanked/),
  });
  // As if it were that of the online booking that gave the former phone.
  const move = (to: string) =>
    sql('update scheduling.appointments set patient_id = (select id from scheduling.patients where claimed_phone = $2 or id::text = $2) where id = $1', [
      appointment.id,
      to,
    ]);
  await move(FORMER_PHONE);
  expect(await ops('erase-patient', ...whole(), '--yes')).toMatchObject({ status: 1, stderr: expect.stringContaining('1 upcoming appointment') });
  await move(patient.id);
  await expectStatus(200, api.patch(`/api/appointments/${appointment.id}/status`, { status: 'cancelled', cancellation_reason: 'canario-reason' }, clinic));
  const planned = await ops('erase-patient', ...who(), '--dry-run');
  expect(planned).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/dental\.quotes: 1 would be deleted[\s\S]*scheduling\.patients: 3 would be blanked/),
  });
  expect((await traces(SECRETS)).length).toBeGreaterThan(10);
});

/** Requests of every service that would store data for the patient. */
const WRITES = (id: string): [method: 'POST' | 'PUT', path: string, body: object][] => [
  ['POST', `/api/patients/${id}/restore`, {}],
  ['POST', '/api/dental/treatment-plans', { patient_id: id, title: 'Limpieza' }],
  ['POST', `/api/dental/treatment-plans/${id}/generate-plan`, {}],
  ['POST', '/api/dental/payment-plans', { patient_id: id, description: 'Corona', total_amount: 90, installments: 3 }],
  ['POST', `/api/dental/charts/${id}/entries`, { tooth: 16, finding: 'caries', status: 'existing' }],
  ['PUT', `/api/dental/charts/${id}/dentition`, { dentition: 'mixed' }],
  ['POST', `/api/dental/charts/${id}/periodontics`, { teeth: [{ tooth: 16, sites: [{ site: 'V', depth: 2 }] }] }],
  ['PUT', `/api/patients/${id}/tax-profile`, { documentType: '13', documentNumber: '01234567-8' }],
];

test('an interrupted erasure can be run again, and leaves only appointments and amounts without a person', async () => {
  const killed = startScript(folder, 'ops', 'erase-patient', ...who(), '--yes');
  await waitFor(() => killed.ran.stdout.includes('messaging.'));
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await ops('erase-patient', ...whole(), '--yes', '--operator', 'ana')).toMatchObject({ status: 0, stderr: '' });
  await waitFor(async () => (await sql('select from messaging.conversations where patient_name is not null')).length === 0);
  expect(await traces(SECRETS)).toEqual([]);
  const left = await sql('select id from messaging.mails where id = any($1) order by id', [[...ownMails, ...otherMails].map(({ id }) => id)]);
  expect(left).toEqual(otherMails.map(({ id }) => ({ id })));
  expect(await sql('select status, notes from scheduling.appointments where id = $1', [appointment.id])).toEqual([{ status: 'cancelled', notes: null }]);
  expect(await sql('select sum(amount_cents)::int as paid from dental.payments where clinic_id = $1', [clinic.id])).toEqual([{ paid: 3000 }]);
  expect((await expectStatus(200, api.get(`/api/patients/${patient.id}`, clinic))).body).toMatchObject({
    full_name: 'Paciente eliminado',
    phone: null,
    dui: null,
  });
  for (const [method, path, body] of WRITES(patient.id)) {
    expect([path, await api.send(method, path, body, clinic)]).toMatchObject([path, { status: 404, body: { error: 'Patient not found' } }]);
  }
  await expectStatus(200, api.get(`/api/dental/charts/${patient.id}/current`, clinic));
  expect(await ops('erase-patient', ...who(), '--yes')).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing was left to erase') });
  const { actions } = (await api.get('/api/superadmin/audit-log?operator=ana', api.operator)).body;
  expect(actions[0]).toMatchObject({ action: 'patient.erased', entity_id: patient.id, clinic_id: clinic.id });
});

test('a clinic that does not exist is neither exported nor erased, and nothing is recorded', async () => {
  const unknown = uuidv7();
  const file = path.join(folder, 'unknown.jsonl');
  for (const [command = '', ...words] of [
    ['export-clinic', '--to', file],
    ['erase-clinic', '--dry-run'],
    ['erase-clinic', '--yes'],
  ])
    expect(await ops(command, '--clinic', unknown, ...words)).toEqual({ status: 1, stdout: '', stderr: `No clinic has the id ${unknown}.\n` });
  expect(existsSync(file)).toBe(false);
  for (const service of SERVICES) expect(await sql(`select from ${service}.audit_log where entity_id = $1`, [unknown])).toEqual([]);
});

test('of two exports into one file the second is refused', async () => {
  const file = path.join(folder, 'twice.jsonl');
  await withClient(ownerUrl({ dataDir: folder }), async (client) => {
    expect(await tryLock(client, `export ${file}`)).toBe(true);
    expect(await ops('export-clinic', '--clinic', clinic.id, '--to', file)).toMatchObject({
      status: 1,
      stderr: `Another export is being written into ${file}: choose another file.\n`,
    });
  });
});

test('a clinic is exported, then erased with its users; other clinics lose nothing', async () => {
  const leaving = await newClinic(api, { registration: { clinicName: 'Clínica Canario Azul', adminName: 'Quetzalli Canario' } });
  await furnish(api, leaving);
  await addPatient(api, leaving, { fullName: 'Citlali Canario', notes: 'azulado-canario' });
  const file = path.join(folder, 'clinic.jsonl');
  mkdirSync(`${file}.files`);
  writeFileSync(path.join(`${file}.files`, 'another.pdf'), 'of an interrupted export');
  expect(await ops('export-clinic', '--clinic', leaving.id, '--to', file)).toMatchObject({ status: 0, stderr: '' });
  const exported = readFileSync(file, 'utf8');
  for (const text of ['Clínica Canario Azul', leaving.email, 'Citlali Canario', 'audit_log']) expect(exported).toContain(text);
  expect(existsSync(path.join(`${file}.files`, 'another.pdf'))).toBe(false);
  expect(exported).not.toMatch(/password_hash|argon2|_sealed/); // plain-words: sealed is in the names of columns

  const countOthers = () =>
    sql(
      `select (select count(*)::int from scheduling.patients where clinic_id <> $1) as patients,
         (select count(*)::int from identity.users where clinic_id <> $1) as users`,
      [leaving.id],
    );
  const before = await countOthers();
  // The first deletion ends with a deadlock, as with a transaction of the running product.
  await sql(`
    create sequence public.deletions;
    create function public.add_again() returns trigger language plpgsql security definer as $$ begin
      if nextval('public.deletions') = 1 then raise 'deadlock detected' using errcode = 'deadlock_detected'; end if;
      insert into messaging.canned_replies select (old).*;
      return old;
    end $$;
    create trigger add_again after delete on messaging.canned_replies for each row execute function public.add_again()`);
  // The use of the clinic is reported once more while identity's rows are deleted.
  await sql(`
    create sequence public.reports;
    create function public.report_use() returns trigger language plpgsql security definer as $$ begin
      if nextval('public.reports') = 1 then insert into identity.clinic_usage select (old).*; end if;
      return old;
    end $$`);
  await sql('insert into identity.clinic_usage values ($1, current_date, 1, 0, 0) on conflict do nothing', [leaving.id]);
  await sql('create trigger report_use after delete on identity.clinic_usage for each row execute function public.report_use()');
  expect(await ops('erase-clinic', '--clinic', leaving.id, '--yes')).toMatchObject({ status: 1, stderr: expect.stringContaining('still being added') });
  await sql('drop function public.add_again, public.report_use cascade; drop sequence public.deletions, public.reports');
  expect(await ops('erase-clinic', '--clinic', leaving.id, '--yes')).toMatchObject({ status: 0, stderr: '' });
  expect((await api.get('/api/patients', leaving)).status).toBe(401);
  expect(await traces(['Canario Azul', 'Quetzalli', leaving.email, 'Citlali', 'azulado-canario'])).toEqual([]);
  expect(await countOthers()).toEqual(before);
  expect((await api.get('/api/patients', clinic)).status).toBe(200);
  // On a busy machine, an event may arrive after the command has ended.
  await waitFor(async () => (await ops('erase-clinic', '--clinic', leaving.id, '--yes')).stdout.includes('nothing was left'));
  await waitFor(async () => (await sql('select from scheduling.audit_pending')).length === 0);
  expect(await ops('verify-audit')).toMatchObject({ status: 0, stdout: expect.stringContaining('The audit log is intact.') });
});

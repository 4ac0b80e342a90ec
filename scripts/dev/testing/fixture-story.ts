// Fills the installation of the fixture with data and unfinished work, before its backup is written.
import { createHmac } from 'node:crypto';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { DateTime } from 'luxon';
import { type Api, apiAt, type Body, expectStatus } from '../../../e2e/api.ts';
import {
  addDoctor,
  addPatient,
  book,
  booking,
  type Clinic,
  cookieOf,
  everyDay,
  freshPhone,
  inviteCode,
  newClinic,
  noonZone,
  PASSWORD,
} from '../../../e2e/clinic.ts';
import { furnish } from '../../../e2e/furnish.ts';
import { mailTo } from '../../../e2e/mails.ts';
import { asOwner, secret } from '../../../e2e/product-internals.ts';
import { linkIn } from '../../../e2e/read-code.ts';
import { type PatientPhone, patientPhone, type ShownChoice } from '../../../e2e/setup/patient-phone.ts';
import { INVOICE, ISSUER } from '../../../services/billing/testing/tax-orders.ts';
import type { Product } from '../product.ts';
import { holdJobs, listWaitingJobs, runJob } from './fixture-jobs.ts';

/** An idempotent request and its first answer. */
type Repeatable = { path: string; body: Body; key: string; operator: boolean; status: number; answer: Body };

/** Addresses of the simulators. */
type Simulators = { chat: string; authority: string };

type Stage = Simulators & { product: Product; api: Api; clinic: Clinic; zone: string };

const CANCEL_BUTTON = 'visit|drop|'; // plain-words: visit is in the ids of buttons
const DUI = '00016297-5';
const OTHER_DUI = '01234567-8';

export async function fillInstallation(product: Product, simulators: Simulators) {
  const api = apiAt(product.api);
  const zone = noonZone; // check-in is open on the day of the appointment, so it must not be late in that day
  const clinic = await newClinic(api, { registration: { timezone: zone, clinicName: 'Clínica del Molde', email: 'ana@fixture.example' } });
  const stage: Stage = { ...simulators, product, api, clinic, zone };
  const doctor = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:30'), consultationDurationMinutes: 30 });
  const repeatable = await makeRepeatable(stage);
  const records = await fillOtherClinic(stage);
  const chat = await connectChat(stage);
  const links = await makeLinks(stage, doctor);
  const conversations = await startConversations(stage, doctor, chat);
  const recall = await recallPatients(stage, doctor, chat);
  const taxDocuments = await issueTaxDocuments(stage);
  const accounts = await openAccounts(stage);
  await holdJobs(product);
  const waiting = await leaveUndone(stage, doctor, chat, taxDocuments.patientId);
  return {
    clinic: { id: clinic.id, email: clinic.email, password: PASSWORD, timezone: zone, doctorId: doctor.id },
    repeatable,
    ...records,
    chat: { number: chat.number },
    links: { ...links, ...taxDocuments.links },
    conversations,
    recall,
    taxDocuments: taxDocuments.documents,
    accounts,
    waiting,
    jobs: await listWaitingJobs(product),
  };
}

const dayIn = ({ zone }: Stage, days: number) => DateTime.now().setZone(zone).plus({ days }).toISODate() ?? '';

async function makeRepeatable({ api, clinic }: Stage): Promise<Repeatable[]> {
  const requests = [
    { path: '/api/patients', body: { fullName: 'Beatriz Quijano', phone: freshPhone(), dui: DUI }, operator: false },
    { path: '/api/faq', body: { category: 'parking', question: '¿Hay parqueo?', answer: 'Sí, en el sótano.', keywords: ['parqueo'] }, operator: false },
    { path: '/api/superadmin/invite-codes', body: { plan: 'pro' }, operator: true },
  ];
  return Promise.all(
    requests.map(async (request, index) => {
      const key = `fixture-${index}`;
      const extra = request.operator ? api.operator : clinic;
      const headers = { ...('headers' in extra ? extra.headers : {}), 'Idempotency-Key': key };
      const { body: answer, status } = await expectStatus(201, api.post(request.path, request.body, { ...extra, headers }));
      return { ...request, key, status, answer };
    }),
  );
}

/** A second clinic with a record of every kind. */
async function fillOtherClinic({ api }: Stage) {
  const other = await newClinic(api, { registration: { email: 'luis@fixture.example' } });
  await furnish(api, other);
  const patient = await addPatient(api, other, { fullName: 'Carlos Otro', dui: OTHER_DUI });
  return {
    patients: [{ email: other.email, id: patient.id, dui: OTHER_DUI }],
    other: { id: other.id, email: other.email, password: PASSWORD, refreshCookie: other.cookie },
  };
}

type Chat = { number: string; phoneAt(phone: string): PatientPhone; person(name?: string): Promise<PatientPhone>; failSending(): Promise<void> };

async function connectChat({ chat: simulator, api, clinic }: Stage): Promise<Chat> {
  const phone = '+50322220000';
  await expectStatus(200, api.post('/api/chat/start', { phone, otpMethod: 'sms', wabaId: 'waba-fixture', accessToken: 'fixture-token' }, clinic));
  await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic));
  await expectStatus(200, api.patch('/api/chat/reminders', { quiet_from: '00:00', quiet_until: '00:00' }, clinic));
  const greeting = { key: 'greeting', language: 'es', text: '¡Bienvenida a {clinica}!' };
  await expectStatus(200, api.patch('/api/chat/texts', { texts: [greeting] }, clinic));
  const number = `999${phone.slice(1)}`;
  const phoneAt = (at: string, name?: string) => patientPhone(simulator, number, at, name);
  return {
    number,
    phoneAt,
    async person(name = 'Rosa') {
      const patient = phoneAt(freshPhone(), name);
      await patient.say('Hola');
      return patient;
    },
    async failSending() {
      const fault = { path: 'messages', times: 1_000_000, status: 500, message: 'The provider is down' };
      await fetch(`${simulator}/simulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
    },
  };
}

async function makeLinks(stage: Stage, doctor: Body) {
  const { api, clinic } = stage;
  const feed = await expectStatus(200, api.get(`/api/calendar/feed-url/${doctor.id}`, clinic));
  const checkIns = [];
  for (const days of [0, 1]) {
    const appointment = await book(api, clinic, { ...booking(doctor.id, '20:00', dayIn(stage, days)), patientName: 'Ana María López' });
    checkIns.push({ appointmentId: appointment.id, path: await checkInPath(stage, appointment.id) });
  }
  const { code } = await inviteCode(api, { plan: 'clinica' });
  return { feed: new URL(feed.body.feedUrl).pathname, checkIns, inviteCode: code };
}

async function checkInPath({ api, clinic }: Stage, appointmentId: string): Promise<string> {
  const picture = await fetch(`${api.baseUrl}/api/appointments/${appointmentId}/qr?format=png`, { headers: { Authorization: `Bearer ${clinic.token}` } });
  return new URL(await linkIn(await picture.arrayBuffer())).pathname;
}

/** The last matching choice: among days and times the furthest from now. */
const choiceIn = (choices: ShownChoice[], prefix: string) => {
  const choice = choices.findLast(({ id }) => id.startsWith(prefix));
  if (!choice) throw new Error(`no choice ${prefix} in ${JSON.stringify(choices)}`);
  return choice;
};

/** Starts conversations and leaves them unfinished. Returns what each patient will press or say next. */
async function startConversations(stage: Stage, doctor: Body, chat: Chat) {
  const { api, clinic } = stage;
  const week = dayIn(stage, 7);
  const bookFor = async (phone: string, startTime: string) =>
    book(api, clinic, { ...booking(doctor.id, startTime, week), patientName: 'Rosa Díaz', patientPhone: phone });
  const untilTimes = async () => {
    const patient = await chat.person();
    const days = await patient.say('Quiero agendar una cita');
    return { patient, times: await patient.press(choiceIn(days.choices, 'day|')) };
  };

  const choosing = await chat.person();
  const days = await choosing.say('Quiero agendar una cita');

  const naming = await untilTimes();
  await naming.patient.press(choiceIn(naming.times.choices, 'time|'));

  const confirming = await untilTimes();
  await confirming.patient.press(choiceIn(confirming.times.choices, 'time|'));
  const question = await confirming.patient.say('Rosa Díaz');

  const moving = await chat.person();
  const moved = await bookFor(moving.phone, '08:00');
  const movingDays = await moving.say('Quiero mover mi cita');
  const movingTimes = await moving.press(choiceIn(movingDays.choices, 'day|'));
  const move = await moving.press(choiceIn(movingTimes.choices, 'time|'));

  const cancelling = await chat.person();
  const cancelled = await bookFor(cancelling.phone, '09:00');
  const sure = await cancelling.say('Quiero cancelar mi cita');

  const reminded = await chat.person();
  const upcoming = await bookFor(reminded.phone, '10:00');
  const reminder = await remind(stage, reminded, upcoming.id);

  const offered = await chat.person();
  const offer = await makeOffer(stage, doctor, offered, '11:00');

  const asking = await chat.person();
  const faqs = await asking.press({ id: 'do_faq', title: 'Preguntas' });

  return {
    choosing: { phone: choosing.phone, press: choiceIn(days.choices, 'day|') },
    naming: { phone: naming.patient.phone, say: 'Rosa Díaz' },
    confirming: { phone: confirming.patient.phone, press: choiceIn(question.choices, 'yes|') },
    moving: { phone: moving.phone, appointmentId: moved.id, press: choiceIn(move.choices, 'yes|') },
    cancelling: { phone: cancelling.phone, appointmentId: cancelled.id, press: choiceIn(sure.choices, CANCEL_BUTTON) },
    reminded: { phone: reminded.phone, appointmentId: upcoming.id, press: choiceIn(reminder.choices, CANCEL_BUTTON) },
    offered: { phone: offered.phone, entryId: offer.entryId, press: choiceIn(offer.message.choices, 'offer|yes|') },
    asking: { phone: asking.phone, press: choiceIn(faqs.choices, 'faq|') },
  };
}

/** Sends the reminder of an appointment now instead of the day before. */
async function remind({ product }: Stage, patient: PatientPhone, appointmentId: string) {
  const before = (await patient.messages()).length;
  const planned = `select 1 from messaging.reminders where appointment_id = $1 and state = 'planned' having count(*) = 2`;
  await waitFor(async () => (await asOwner(product.api, planned, [appointmentId])).length === 1);
  await asOwner(product.api, `update messaging.reminders set due_at = now() where appointment_id = $1 and kind = 'day'`, [appointmentId]);
  await runJob(product, 'messaging', 'send-reminders');
  return patient.next(before);
}

/** Frees a slot and waits until it is offered to the patient on the waitlist. */
async function makeOffer(stage: Stage, doctor: Body, patient: PatientPhone, startTime: string) {
  const before = (await patient.messages()).length;
  const entry = await offerSlot(stage, doctor, patient.phone, startTime, 20);
  const message = await patient.next(before);
  return { entryId: entry.id, message };
}

async function offerSlot(stage: Stage, doctor: Body, phone: string, startTime: string, days: number): Promise<Body> {
  const { api, clinic } = stage;
  const date = dayIn(stage, days);
  const taken = await book(api, clinic, booking(doctor.id, startTime, date));
  const wish = { patientName: 'Eva Luna', patientPhone: phone, doctorId: doctor.id, dateFrom: date, dateTo: date };
  const { body: entry } = await expectStatus(201, api.post('/api/waitlist', wish, clinic));
  await expectStatus(200, api.patch(`/api/appointments/${taken.id}/status`, { status: 'cancelled' }, clinic));
  return entry;
}

/** Creates a recall campaign with one sent and one scheduled invitation. */
async function recallPatients(stage: Stage, doctor: Body, chat: Chat) {
  const { product, api, clinic } = stage;
  const invited = await chat.person('Inés');
  for (const [phone, startTime] of [
    [invited.phone, '21:00'],
    [freshPhone(), '21:30'],
  ] as const) {
    const appointment = await book(api, clinic, { ...booking(doctor.id, startTime, dayIn(stage, 0)), patientName: 'Inés Paz', patientPhone: phone });
    await expectStatus(200, api.patch(`/api/appointments/${appointment.id}/status`, { status: 'completed' }, clinic));
    await waitFor(
      async () =>
        (await asOwner(product.api, `select from dental.recall_visits where appointment_id = $1 and status = 'completed'`, [appointment.id])).length === 1,
    );
    await asOwner(
      product.api,
      'update dental.recall_visits set appointment_date = appointment_date - 400, starts_at = starts_at - $2::interval where appointment_id = $1',
      [appointment.id, '400 days'],
    );
  }
  const campaign = { name: 'Limpieza', message_template: 'Hola {nombre}, ¿agendamos su {procedimiento}?' };
  const { body } = await expectStatus(201, api.post('/api/dental/recall-campaigns', campaign, clinic));
  await runJob(product, 'dental', 'queue-recall');
  const before = (await invited.messages()).length;
  const due = `update dental.recall_contacts c set due_at = now() from scheduling.patients p where p.id = c.patient_id and p.phone = $1`;
  await asOwner(product.api, due, [invited.phone]);
  await runJob(product, 'dental', 'release-recall');
  await invited.next(before);
  return { campaignId: body.id, phone: invited.phone };
}

const postJson = (url: string, body: object) => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

async function issueTaxDocuments(stage: Stage) {
  const { product, api, clinic } = stage;
  const password = 'Clave-Del-Certificado-1';
  await expectStatus(200, api.put('/api/dte/issuer', ISSUER, clinic));
  const made = await postJson(`${stage.authority}/simulator/certificates`, { nit: '06140101901015', password });
  const { xml } = (await made.json()) as { xml: string };
  await expectStatus(200, api.put('/api/dte/issuer/certificate', { certificate: xml, password }, clinic));
  const patient = await addPatient(api, clinic, { fullName: 'Luis Pérez' });
  const profile = { documentType: '13', documentNumber: '01234567-8', email: 'luis.perez@fixture.example' };
  await expectStatus(200, api.put(`/api/patients/${patient.id}/tax-profile`, profile, clinic));
  const { body } = await expectStatus(201, api.post('/api/dte/checkout', { ...INVOICE, patientId: patient.id }, clinic));
  const mail = await mailTo(profile.email, product.api);
  const link = /\S+\/api\/dte\/shared\/\S+\.pdf/.exec(mail)?.[0] ?? '';
  return {
    patientId: patient.id as string,
    links: { taxDocument: new URL(link).pathname },
    documents: { processed: { id: body.id, controlNumber: body.numero_control, seal: body.sello_recibido, total: body.total } }, // plain-words: seal is a key of the fixture
  };
}

/** Creates a user with an open session and one with a password recovery link. */
async function openAccounts({ product, api, clinic }: Stage) {
  const email = 'rosa@fixture.example';
  await expectStatus(201, api.post('/api/users', { fullName: 'Rosa Lima', email, password: PASSWORD }, clinic));
  const signedIn = await expectStatus(200, api.post('/api/auth/login', { email, password: PASSWORD }));
  const locked = 'olvido@fixture.example';
  await expectStatus(201, api.post('/api/users', { fullName: 'Olga Vido', email: locked, password: PASSWORD }, clinic));
  await expectStatus(200, api.post('/api/auth/forgot-password', { email: locked }));
  const token = /#token=(\S+)/.exec(await mailTo(locked, product.api))?.[1];
  return { refresh: { email, cookie: cookieOf(signedIn) }, recovery: { email: locked, token } };
}

/** Starts work of every kind that a stop can interrupt, and leaves it unfinished. */
async function leaveUndone(stage: Stage, doctor: Body, chat: Chat, patientId: string) {
  const { product, api, clinic } = stage;
  const trial = await newClinic(api, { plan: 'trial', registration: { email: 'trial@fixture.example' } });
  await pay(stage, trial);
  await expectStatus(200, api.post('/api/auth/forgot-password', { email: 'trial@fixture.example' }));
  const asked = { clinicName: 'Clínica Sol', contactName: 'Rosa Díaz', email: 'rosa@sol.example', city: 'Santa Ana', doctorsCount: 3 };
  const { body: demo } = await expectStatus(201, api.post('/api/demo-requests', asked));
  await expectStatus(200, api.post(`/api/superadmin/demo-requests/${demo.id}/accept`, {}, api.operator));
  const csv = 'nombre;telefono\nPaciente Importado;+50370001234';
  await expectStatus(200, api.post('/api/patients/import', csv, { token: clinic.token, headers: { 'Content-Type': 'text/csv' } }));
  const mailed = await expectStatus(201, api.post('/api/dte/checkout', { ...INVOICE, patientId }, clinic));
  const silent = await offerSlot(stage, doctor, freshPhone(), '12:00', 21);
  const proposed = await propose(stage);

  const [waitingFor, neverAnswered] = [await chat.person('Marta'), freshPhone()];
  await postJson(`${stage.authority}/simulator`, { mood: 'away' }); // plain-words: away is a value of the simulator's interface
  const contingency = await expectStatus(201, api.post('/api/dte/checkout', INVOICE, clinic));
  await chat.failSending();
  const reply = await expectStatus(
    201,
    api.post(`/api/conversations/${encodeURIComponent(waitingFor.phone)}/reply`, { message: 'Con gusto le ayudo' }, clinic),
  );
  await asOwner(
    product.api,
    `create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'held for the fixture'; end $$;
     create trigger hold before update or delete on messaging.chat_events for each row when (old.status = 'received') execute function public.refuse()`,
  );
  const countHeld = async () => (await asOwner(product.api, `select from messaging.chat_events where status = 'received'`)).length;
  const late = await countHeld(); // delivery statuses of messages sent before
  await chat.phoneAt(neverAnswered).write('Hola');
  await waitFor(async () => (await countHeld()) > late);
  // Handled deliveries are not needed, and large.
  await asOwner(product.api, `delete from messaging.chat_events where status <> 'received'`);
  return {
    payment: { clinicId: trial.id, email: trial.email, plan: 'basic' },
    recoveryMailTo: trial.email,
    demoMailTo: asked.email,
    documentMail: { documentId: mailed.body.id, to: 'luis.perez@fixture.example' },
    contingencyDocumentId: contingency.body.id,
    silentOffer: { entryId: silent.id },
    proposal: proposed,
    reply: { phone: waitingFor.phone, messageId: reply.body.id, text: 'Con gusto le ayudo' },
    delivery: { phone: neverAnswered, text: 'Hola' },
  };
}

async function pay(stage: Stage, clinic: Clinic): Promise<void> {
  const attributes = {
    order_number: 1,
    user_email: clinic.email,
    status: 'paid',
    total: 2900,
    first_order_item: { variant_id: 111, variant_name: 'Default' },
    created_at: new Date().toISOString(),
  };
  const meta = { event_name: 'order_created', webhook_id: 'fixture-order', custom_data: { clinic_id: clinic.id } };
  const raw = JSON.stringify({ meta, data: { type: 'orders', id: '1', attributes } });
  const signature = createHmac('sha256', secret(stage.product.api, 'PAYMENTS_WEBHOOK_SECRET')).update(raw).digest('hex');
  await expectStatus(200, stage.api.post('/webhooks/payments', raw, { headers: { 'X-Signature': signature } }));
}

/** Has the assistant propose an appointment, and does not confirm it. */
async function propose(stage: Stage) {
  const { api, clinic } = stage;
  await addPatient(api, clinic, { fullName: 'Xóchitl Tecún' });
  const message = `Agenda a Xóchitl Tecún con la Dra. Rivas el ${dayIn(stage, 8)} a las 9:30`;
  const { text } = await expectStatus(200, api.post('/api/assistant/chat', { message }, clinic));
  const actionId = /"actionId":"([^"]+)"/.exec(text)?.[1];
  if (!actionId) throw new Error(`no proposal: ${text}`);
  return { actionId, patientName: 'Xóchitl Tecún' };
}

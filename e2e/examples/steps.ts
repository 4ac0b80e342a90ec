// Calls whose records or order cannot be derived from the rows.
import { createHmac, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { png } from '@clinic/lib/testing/signature.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { DateTime } from 'luxon';
import sharp from 'sharp';
import type { Product } from '../../scripts/dev/product.ts';
import { CREDIT, INVOICE } from '../../services/billing/testing/tax-orders.ts';
import type { Answer, Api, Body, Extra } from '../api.ts';
import { addPatient, booking, type Clinic, codeOf, cookieOf, freeSlots, freshEmail, freshPhone, inDays, inviteCode, PASSWORD, setUpMfa } from '../clinic.ts';
import type { Records } from '../furnish.ts';
import { asOwner, secret } from '../product-internals.ts';
import { linkIn } from '../read-code.ts';
import { patientPhone } from '../setup/patient-phone.ts';
import { type Received, WEBHOOKS } from './listen.ts';

type Run = { api: Api; clinic: Clinic; records: Records; product: Product; received: Received };

/** Groups of calls. A failure in one group does not affect the others. */
export async function steps(run: Run): Promise<void> {
  for (const group of [
    accounts,
    pictures,
    bulk,
    otherImports,
    notesAndFiles,
    forms,
    checkIn,
    desk,
    dental,
    taxDocuments,
    conversations,
    onlineBooking,
    assistant,
    webhooks,
    deliveries,
    operators,
  ]) {
    await group(run).catch((error) => console.log(`${group.name}: ${error.message}`));
  }
}

const picture = () =>
  sharp({ create: { width: 200, height: 200, channels: 3, background: '#2e7d32' } })
    .png()
    .toBuffer();
/** The address of a simulated provider, as printed by the start. */
const simulator = (product: Product, name: 'Phone' | 'Tax authority') => new URL(new RegExp(`${name} +(\\S+)`).exec(product.output())?.[1] ?? '').origin;
const control = async (url: string, body: Body): Promise<Body> =>
  (await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json();
const as = (answer: Answer): Extra => ({ token: answer.body.access_token });

async function accounts({ api, clinic, product }: Run) {
  const { code } = await inviteCode(api, { plan: 'clinica' });
  const registration = { inviteCode: code, clinicName: 'Clínica Dental Sol', adminName: 'Ana Morales', city: 'Santa Ana' };
  await api.post('/api/auth/register-clinic', { ...registration, email: 'ana@sol.example', password: PASSWORD });
  const email = 'beatriz@sonrisa.example';
  const { body: user } = await api.post('/api/users', { fullName: 'Beatriz Menjívar', email, password: PASSWORD, phone: '+50370005678' }, clinic);
  const signIn = () => api.post('/api/auth/login', { email, password: PASSWORD });
  const first = await signIn();
  const refreshed = await api.post('/api/auth/refresh', undefined, { headers: { Cookie: cookieOf(first) } });
  const { body: list } = await api.get('/api/auth/sessions', as(refreshed));
  await api.get(`/api/auth/sessions/${list.sessions[0].id}`, as(refreshed));
  const second = await signIn();
  await api.send('DELETE', '/api/auth/sessions', { password: PASSWORD }, as(second));
  const third = await signIn();
  const { body: others } = await api.get('/api/auth/sessions', as(second));
  const other = others.sessions.find((one: Body) => !one.is_current) ?? others.sessions[0];
  await api.send('DELETE', `/api/auth/sessions/${other.id}`, undefined, as(second));
  const last = await signIn();
  await api.put('/api/users/me/pin', { pin: '284619', password: PASSWORD }, as(last));
  await api.post('/api/auth/switch', { userId: user.id, pin: '284619' }, clinic);
  await api.send('DELETE', '/api/users/me/pin', undefined, as(last));
  const { secret } = await setUpMfa(api, as(last));
  const { body: asked } = await signIn();
  const mfaToken = asked.details.find((one: Body) => one.path === 'mfa_token')?.message;
  await api.post('/api/auth/mfa', { mfaToken, code: codeOf(secret, 1) });
  await api.send('DELETE', '/api/users/me/mfa', { password: PASSWORD }, as(last));
  await api.put('/api/users/me/password', { currentPassword: PASSWORD, newPassword: `${PASSWORD}9` }, as(last));
  await api.post('/api/auth/logout', undefined, as(third));
  await api.post('/api/auth/forgot-password', { email });
  const folder = path.join(product.api.dataDir, 'mail');
  const token = await waitFor(() => {
    const mails = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    return mails.map((mail) => /reset-password[^\s]*[#?]token=([\w-]+)/.exec(mail.replaceAll('=\n', ''))?.[1]).find(Boolean) ?? false;
  });
  await api.post('/api/auth/reset-password', { token, password: PASSWORD });
}

async function pictures({ api, clinic, records }: Run) {
  const png = { token: clinic.token, headers: { 'Content-Type': 'image/png' } };
  for (const to of ['/api/users/me/photo', '/api/clinics/logo', `/api/doctors/${records.doctors}/photo`]) await api.send('PUT', to, await picture(), png);
}

async function bulk({ api, clinic, records }: Run) {
  const csv = 'Nombre,Teléfono,Correo\nMaría Elena Cruz,7890 4321,maria@example.com\n,no es un teléfono,\n';
  const { body: imported } = await api.send('POST', '/api/patients/import', csv, { token: clinic.token, headers: { 'Content-Type': 'text/csv' } });
  await waitFor(async () => (await api.get(`/api/patients/imports/${imported.id}`, clinic)).body.status === 'done');
  const [keepId, mergeId] = [(await addPatient(api, clinic)).id, (await addPatient(api, clinic, { email: 'luis@example.com' })).id];
  await api.post('/api/appointments', { doctorId: records.doctors, appointmentDate: inDays(8), startTime: '10:00', patientId: mergeId }, clinic);
  await api.post('/api/patients/merge/preview', { keepId, mergeId }, clinic);
  const { body: merge } = await api.post('/api/patients/merge', { keepId, mergeId }, clinic);
  await api.get('/api/patients/merges', clinic);
  await api.post(`/api/patients/merges/${merge.id}/undo`, undefined, clinic);
}

async function otherImports({ api, clinic }: Run) {
  const phone = freshPhone();
  await api.post('/api/patients', { fullName: 'Luis Pérez', phone, email: 'luis@example.com' }, clinic);
  const extra = { token: clinic.token, headers: { 'Content-Type': 'text/csv' } };
  for (const [to, csv] of [
    ['/api/appointments', `telefono,fecha,hora\n${phone},2024-03-05,10:00\n${phone},2024-03-06,99:00\n`],
    ['/api/dental/balances', `telefono,saldo,vencimiento\n${phone},80.50,2024-04-01\n`],
  ]) {
    const { body } = await api.post(`${to}/import`, csv, extra);
    await api.get(`${to}/imports/${body.id}`, clinic);
  }
}

async function notesAndFiles({ api, clinic, records }: Run) {
  const patient = `/api/patients/${records.patients}`;
  const draft = async () => (await api.post(`${patient}/notes`, { text: 'Dolor al masticar' }, clinic)).body.id;
  await api.patch(`${patient}/notes/${await draft()}`, { text: 'Dolor al masticar, del lado derecho' }, clinic);
  await api.delete(`${patient}/notes/${await draft()}`, clinic);
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await picture())], { type: 'image/png' }), 'radiografia.png');
  const { body: file } = await api.postForm(`${patient}/files?kind=xray&description=Pieza%2036`, form, clinic);
  await api.get(`${patient}/files/${file.id}`, clinic);
  await api.patch(`${patient}/files/${file.id}`, { description: 'Pieza 37' }, clinic);
  await api.get(`${patient}/files`, clinic);
  await api.delete(`${patient}/files/${file.id}`, clinic);
}

async function forms({ api, clinic, records }: Run) {
  const fields = [
    { kind: 'text', label: '¿Es alérgico a algún medicamento?', alert: 'allergy' },
    { kind: 'text', label: '¿Toma algún medicamento?', alert: 'medication' },
    { kind: 'signature', label: 'Firma', required: true },
  ];
  const { body: template } = await api.post('/api/form-templates', { title: 'Historia clínica', fields }, clinic);
  const to = `/api/patients/${records.patients}/forms`;
  const create = async () => (await api.post(to, { templateId: template.id }, clinic)).body;
  await api.patch(`/api/patients/${records.patients}`, { email: 'luis@example.com' }, clinic);
  await api.post(`${to}/${(await create()).id}/send`, { channel: 'mail' }, clinic);
  const form = await create();
  const token = form.link.split('/').at(-1);
  await api.get(`/api/public/forms/${token}`);
  const answers = [
    { field: 0, value: 'Penicilina' },
    { field: 1, value: 'Losartán' },
  ];
  await api.post(`/api/public/forms/${token}/answers`, { answers });
  await api.post(`/api/public/forms/${token}/sign`, { signer_name: 'Luis Pérez', answers: [...answers, { field: 2, value: png() }] });
  await api.get(`${to}/${form.id}`, clinic);
  await api.delete(`${to}/${(await create()).id}`, clinic);
  const { body: proposals } = await api.get('/api/alert-proposals', clinic);
  const [one, two] = Object.values(proposals).find(Array.isArray) as Body[];
  await api.post(`/api/alert-proposals/${one.id}/accept`, { severity: 'danger' }, clinic);
  await api.post(`/api/alert-proposals/${two.id}/dismiss`, undefined, clinic);
}

async function checkIn({ api, clinic, records }: Run) {
  const { timezone } = (await api.get('/api/clinics/settings', clinic)).body;
  const today = DateTime.now().setZone(timezone).toISODate() ?? '';
  const { body: booked } = await api.post('/api/appointments', { ...booking(records.doctors ?? '', '23:30', today), outsideHours: true }, clinic);
  const headers = { Authorization: `Bearer ${clinic.token}` };
  const picture = await fetch(`${api.baseUrl}/api/appointments/${booked.id}/qr?format=png`, { headers });
  const token = (await linkIn(await picture.arrayBuffer())).split('/').at(-1);
  await api.get(`/api/check-in/${token}`);
  await api.post(`/api/check-in/${token}`);
}

async function desk({ api, clinic, records }: Run) {
  for (const day of [1, 2, 3]) await api.get(`/api/agenda?date=${inDays(day)}`, clinic);
  const doctor = records.doctors;
  await api.get(`/api/appointments/series/preview?doctor_id=${doctor}&appointment_date=${inDays(21)}&start_time=09:00&weeks=2&count=3`, clinic);
  await api.patch('/api/analytics/report-subscription', { weekly: true, monthly: false }, clinic);
  const offered = async () => {
    const day = inDays(14);
    const { body: slots } = await api.get(`/api/doctors/${doctor}/slots?date=${day}`, clinic);
    const booking = { doctorId: doctor, appointmentDate: day, startTime: slots[0].startTime, patientId: records.patients };
    const { body: booked } = await api.post('/api/appointments', booking, clinic);
    const patient = await addPatient(api, clinic, { fullName: 'Rosa Lima' });
    await api.post('/api/waitlist', { patientId: patient.id, doctorId: doctor, dateFrom: day, dateTo: day }, clinic);
    await api.patch(`/api/appointments/${booked.id}/status`, { status: 'cancelled', cancellation_reason: 'Viaje' }, clinic);
    return waitFor(async () => {
      const { body } = await api.get('/api/waitlist?status=offered', clinic);
      return body.entries[0]?.id ?? false;
    });
  };
  await api.post(`/api/waitlist/${await offered()}/accept`, undefined, clinic);
  await api.post(`/api/waitlist/${await offered()}/decline`, undefined, clinic);
  const { body: waiting } = await api.post('/api/waitlist', { patientId: records.patients, dateFrom: inDays(40), dateTo: inDays(41) }, clinic);
  await api.delete(`/api/waitlist/${waiting.id}`, clinic);
}

async function dental({ api, clinic, records }: Run) {
  const chart = `/api/dental/charts/${records.patients}`;
  const { body: history } = await api.get(`${chart}/history`, clinic);
  const entries = Object.values(history).find(Array.isArray) as Body[];
  await api.send('DELETE', `${chart}/entries/${entries[0].id}`, { reason: 'Otra pieza' }, clinic);
  const exam = async (depth: number) =>
    (await api.post(`${chart}/periodontics`, { teeth: [{ tooth: 16, sites: [{ site: 'MV', depth, bleeding: depth > 3 }], mobility: 1 }] }, clinic)).body.id;
  await api.get(`${chart}/periodontics/compare?from=${await exam(5)}&to=${await exam(3)}`, clinic);
  const { body: plan } = await api.post('/api/dental/treatment-plans', { patient_id: records.patients, title: 'Rehabilitación', notes: 'Por fases' }, clinic);
  const option = async (name: string) => (await api.post(`/api/dental/treatment-plans/${plan.id}/options`, { name }, clinic)).body;
  const idOf = (made: Body, name: string) => made.options?.find((one: Body) => one.name === name)?.id ?? made.id;
  await api.post(`/api/dental/treatment-plans/${plan.id}/options/${idOf(await option('Corona'), 'Corona')}/choose`, undefined, clinic);
  await api.delete(`/api/dental/treatment-plans/${plan.id}/options/${idOf(await option('Puente'), 'Puente')}`, clinic);
  const { body: owed } = await api.post('/api/dental/payment-plans', { patient_id: records.patients, description: 'Corona', total_amount: 350 }, clinic);
  const { body: paid } = await api.post(`/api/dental/payment-plans/${owed.id}/payments`, { amount: 100, payment_method: 'card' }, clinic);
  await api.get(`/api/dental/payment-plans/${owed.id}`, clinic);
  await api.send('DELETE', `/api/dental/payments/${paid.payments[0].id}`, { reason: 'Monto equivocado' }, clinic);
}

async function taxDocuments({ api, clinic, product }: Run) {
  const authority = `${simulator(product, 'Tax authority')}/simulator`;
  const { nit } = (await api.get('/api/dte/issuer', clinic)).body;
  const password = 'Clave-Del-Certificado-1';
  const { xml } = await control(`${authority}/certificates`, { nit, password });
  await api.put('/api/dte/issuer/certificate', { certificate: xml, password }, clinic);
  await control(authority, { mood: 'refuses' });
  const { body: rejected } = await api.post('/api/dte/checkout', INVOICE, clinic);
  await control(authority, { mood: 'answers' });
  await api.post(`/api/dte/documents/${rejected.document_id}/correct`, { notes: 'Corregida' }, clinic);
  const { body: credit } = await api.post('/api/dte/checkout', CREDIT, clinic);
  await api.post(`/api/dte/documents/${credit.id}/credit-note`, { notes: 'Devolución' }, clinic);
  const { body: invoice } = await api.post('/api/dte/checkout', INVOICE, clinic);
  await api.get(`/api/dte/documents/${invoice.id}`, clinic);
  await api.get('/api/dte/documents', clinic);
  await api.get(`/api/dte/documents/${invoice.id}.json`, clinic);
  await api.post(`/api/dte/documents/${invoice.id}/send`, { email: 'paciente@example.com' }, clinic);
  await api.delete(`/api/dte/documents/${invoice.id}/links`, clinic);
  await api.post(`/api/dte/documents/${invoice.id}/invalidate`, { type: 2, reason: 'El paciente canceló la cita' }, clinic);
  await api.get('/api/dte/catalogs/CAT-019?search=odontologia', clinic);
}

const OWN_NUMBER = '+50322221234';

async function conversations({ api, clinic, product }: Run) {
  const origin = simulator(product, 'Phone');
  const own = OWN_NUMBER;
  await api.post('/api/chat/start', { phone: own, otpMethod: 'sms', wabaId: '104233', accessToken: 'EAAG-token' }, clinic);
  await api.post('/api/chat/verify-otp', { code: '123456' }, clinic);
  const number = `999${own.slice(1)}`; // the id that the simulated provider gives to the number
  const phone = '+50370001001';
  await patientPhone(origin, number, phone, 'María José').say('Hola');
  const at = `/api/conversations/${encodeURIComponent(phone)}`;
  await waitFor(async () => (await api.get(`${at}/messages`, clinic)).status === 200);
  await api.post(`${at}/takeover`, undefined, clinic);
  await api.post(`${at}/reply`, { message: 'Buenos días, ¿en qué le podemos ayudar?' }, clinic);
  await api.post(`${at}/read`, undefined, clinic);
  await api.get(`${at}/messages`, clinic);
  await api.get('/api/conversations', clinic);
  await control(`${origin}/simulator/faults`, { path: 'messages', status: 400, code: 100, message: 'Invalid parameter' });
  await api.post(`${at}/reply`, { message: 'Le esperamos mañana' }, clinic);
  const letter = await waitFor(async () => (await api.get('/api/superadmin/dead-letters', api.operator)).body.dead_letters[0] ?? false);
  await api.post(`/api/superadmin/dead-letters/${letter.id}/replay`, undefined, api.operator);
  await api.post(`${at}/release`, undefined, clinic);
}

async function onlineBooking({ api, clinic, product }: Run) {
  await api.patch('/api/clinics/features', { features: { online_booking: true } }, clinic);
  await api.post('/api/appointment-types', { name: 'Valoración', durationMinutes: 30, color: '#0b5cad', onlineBookable: true }, clinic);
  const at = `/api/public/clinics/${(await api.get('/api/clinics/settings', clinic)).body.slug}`;
  const shown = await waitFor(async () => {
    const { status, body } = await api.get(at);
    return status === 200 && body.types?.length > 0 && body;
  });
  const type = shown.types[0].id;
  const month = inDays(28).slice(0, 7);
  const { body: days } = await api.get(`${at}/availability?type_id=${type}&month=${month}`);
  const date = (Object.values(days).find(Array.isArray) as Body[]).map((day) => day.date ?? day).at(-1);
  const { body: slots } = await api.get(`${at}/slots?type_id=${type}&date=${date}`);
  const startTime = (Array.isArray(slots) ? slots : (Object.values(slots).find(Array.isArray) as Body[]))[0]?.start_time?.slice(0, 5);
  const phone = '+50370001002';
  const { body: begun } = await api.post(`${at}/bookings`, { typeId: type, date, startTime, name: 'Rosa Díaz', phone });
  await api.get(`${at}/bookings/${begun.booking_id}`);
  const thread = `${simulator(product, 'Phone')}/simulator/thread?number=999${OWN_NUMBER.slice(1)}&phone=${phone.slice(1)}`;
  const code = await waitFor(async () => /"text":"(\d{6})"/.exec(await (await fetch(thread)).text())?.[1] ?? false);
  await api.post(`${at}/bookings/${begun.booking_id}/confirm`, { code });
}

async function webhooks({ api, clinic }: Run) {
  const events = ['appointment.booked', 'appointment.status_changed', 'patient.created'];
  const create = async () =>
    (await api.post('/api/webhook-endpoints', { url: `${WEBHOOKS}clinic-events`, events, description: 'Agenda externa' }, clinic)).body;
  const endpoint = `/api/webhook-endpoints/${(await create()).id}`;
  await api.post(`${endpoint}/test`, undefined, clinic);
  await addPatient(api, clinic);
  const delivery = await waitFor(async () => {
    const { body } = await api.get(`${endpoint}/deliveries`, clinic);
    return body.deliveries?.find((one: Body) => one.attempts > 0) ?? false;
  });
  await api.post(`/api/webhook-endpoints/deliveries/${delivery.id}/redeliver`, undefined, clinic);
  await api.post(`${endpoint}/rotate-secret`, undefined, clinic);
  await api.patch(endpoint, { events: events.slice(0, 2) }, clinic);
  await api.get('/api/webhook-endpoints', clinic);
  await api.delete(`/api/webhook-endpoints/${(await create()).id}`, clinic);
}

async function assistant({ api, clinic, records }: Run) {
  const { body: doctor } = await api.get(`/api/doctors/${records.doctors}`, clinic);
  await addPatient(api, clinic, { fullName: 'Xóchitl Tecún' });
  let days = 28;
  while (!(await freeSlots(api, clinic, doctor.id, inDays(days))).includes('10:30')) days++; // the doctor has a vacation
  const propose = async (time: string) => {
    const { text } = await api.post(
      '/api/assistant/chat',
      { message: `Agenda a Xóchitl Tecún con la ${doctor.full_name} el ${inDays(days)} a las ${time}` },
      clinic,
    );
    return /"actionId":"([^"]+)"/.exec(text)?.[1];
  };
  await api.post(`/api/assistant/actions/${await propose('9:30')}/confirm`, undefined, clinic);
  await api.post(`/api/assistant/actions/${await propose('10:30')}/reject`, undefined, clinic);
  const { body } = await api.get('/api/assistant/conversations', clinic);
  await api.get(`/api/assistant/conversations/${body.conversations[0].id}`, clinic);
}

/** Signed webhooks of both providers, and an unusable one of each. */
async function deliveries({ api, clinic, product }: Run) {
  const hmac = (name: string, raw: string) => createHmac('sha256', secret(product.api, name)).update(raw).digest('hex');
  const chat = async (body: Body) => {
    const raw = JSON.stringify(body);
    await api.post('/webhooks/chat', raw, { headers: { 'X-Hub-Signature-256': `sha256=${hmac('CHAT_APP_SECRET', raw)}` } });
  };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: OWN_NUMBER.slice(1), phone_number_id: `999${OWN_NUMBER.slice(1)}` },
    contacts: [{ profile: { name: 'Rosa Díaz' }, wa_id: '50370001002' }],
    messages: [{ from: '50370001002', id: 'wamid.EXAMPLE', timestamp: '1767225600', type: 'text', text: { body: 'Buenos días' } }],
  };
  await chat({ object: 'whatsapp_business_account', entry: [{ id: '104233', changes: [{ field: 'messages', value }] }] });
  await chat({ object: 'page' });
  const events = '/api/superadmin/webhook-events';
  const unusable = await waitFor(async () => (await api.get(`${events}/chat`, api.operator)).body.events[0] ?? false);
  await api.post(`${events}/chat/${unusable.id}/replay`, undefined, api.operator);

  const attributes = { order_number: 1, user_email: 'ana@example.com', status: 'paid', total: 2900, created_at: new Date().toISOString() };
  const data = { type: 'orders', id: '1', attributes: { ...attributes, first_order_item: { variant_id: 999, variant_name: 'Default' } } };
  const raw = JSON.stringify({ meta: { event_name: 'order_created', webhook_id: randomUUID(), custom_data: { clinic_id: clinic.id } }, data });
  await api.post('/webhooks/payments', raw, { headers: { 'X-Signature': hmac('PAYMENTS_WEBHOOK_SECRET', raw) } });
  const unknown = await waitFor(async () => (await api.get(`${events}?status=unknown_variant`, api.operator)).body.events[0] ?? false);
  await api.post(`${events}/${unknown.id}/replay`, undefined, api.operator);
}

async function operators({ api, clinic, product, received }: Run) {
  const { operator } = api;
  const request = (email: string) => ({ clinicName: 'Clínica Dental Sol', contactName: 'Ana Morales', email, phone: '+50370001234', city: 'Santa Ana' });
  for (const email of [freshEmail(), 'ana@sol.example']) await api.post('/api/demo-requests', request(email));
  const { body: requests } = await api.get('/api/superadmin/demo-requests', operator);
  const [one, two] = (Array.isArray(requests) ? requests : (Object.values(requests).find(Array.isArray) as Body[])) ?? [];
  await api.post(`/api/superadmin/demo-requests/${one.id}/accept`, undefined, operator);
  await api.post(`/api/superadmin/demo-requests/${two.id}/reject`, undefined, operator);
  const code = await inviteCode(api, { plan: 'pro' });
  await api.patch(`/api/superadmin/invite-codes/${code.id}/revoke`, undefined, operator);
  const at = `/api/superadmin/clinics/${clinic.id}`;
  await api.patch(at, { expiresInDays: 3 }, operator);
  await asOwner(product.api, `insert into identity_jobs.job (name, data) values ('warn-of-expiry', '{}')`);
  await waitFor(() => received.events.has('subscription_expiring'));
  await api.patch(at, { expiresInDays: 365 }, operator);
  await api.get(`${at}/limits`, operator);
  await api.patch(`${at}/limits`, { requests_per_minute: 900 }, operator);
  await api.get(`${at}/usage`, operator);
  await api.put('/api/superadmin/maintenance', { from: '2199-01-01T00:00:00Z', message: 'Actualización' }, operator);
  await api.get('/api/superadmin/maintenance', operator);
  await api.delete('/api/superadmin/maintenance', operator);
  const { body: notice } = await api.post(
    '/api/superadmin/notices',
    { message: 'Esta noche hay una actualización', severity: 'info', from: '2199-01-01T00:00:00Z' },
    operator,
  );
  await api.delete(`/api/superadmin/notices/${notice.id}`, operator);
}

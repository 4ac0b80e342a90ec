// Metrics on the admin port: rates and times under declared names, without data of clinics and persons.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAt, expectStatus } from './api.ts';
import { addDoctor, addPatient, booking, type Clinic, newClinic } from './clinic.ts';
import { rows } from './rows.ts';

type Series = { name: string; labels: Record<string, string>; value: number };

const api = apiAt(publicApi());
const unknownId = randomUUID();
let clinic: Clinic;
let phone: string;
let all: Series[];

async function read(): Promise<Series[]> {
  const text = await (await fetch(`${publicApi().adminUrl}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return { name, labels: Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, of]) => [key, of])), value: Number(value) };
    });
}

const count = (series: Series[], name: string, labels: Record<string, string>) =>
  series
    .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);

beforeAll(async () => {
  clinic = await newClinic(api);
  const doctor = await addDoctor(api, clinic);
  await addPatient(api, clinic, { fullName: 'Xochitl Metrica' });
  const appointment = booking(doctor.id, '09:00');
  phone = appointment.patientPhone;
  const { body } = await expectStatus(201, api.post('/api/appointments', appointment, clinic));
  await expectStatus(200, api.get(`/api/appointments/${body.id}`, clinic));
  await expectStatus(404, api.get(`/api/patients/${unknownId}`, clinic));
  await expectStatus(404, api.get(`/nowhere/${unknownId}/${phone}?email=${clinic.email}`));
  await expectStatus(409, api.post('/api/appointments', appointment, clinic));
  await api.send('PURGE', `/api/patients/${unknownId}`, undefined, clinic);
  await waitFor(async () => count(await read(), 'clinic_http_seconds_count', { method: 'POST', route: '/api/appointments', status: '409' }) > 0);
  if (publicApi().topology === 'single') {
    await waitFor(async () => count(await read(), 'clinic_events_total', { consumer: 'messaging-reminders-booked', outcome: 'handled' }) > 0);
  }
  all = await read();
});

test('requests are counted by route template, method and status', () => {
  const seen = (labels: Record<string, string>) => count(all, 'clinic_http_seconds_count', labels);
  expect(seen({ method: 'POST', route: '/api/appointments', status: '201' })).toBeGreaterThan(0);
  expect(seen({ method: 'GET', route: '/api/appointments/:id', status: '200' })).toBeGreaterThan(0);
  expect(seen({ method: 'GET', route: '/api/patients/:id', status: '404' })).toBeGreaterThan(0);
  expect(seen({ route: 'unknown', status: '404' })).toBeGreaterThan(0);
  expect(seen({ method: 'other' })).toBeGreaterThan(0);
});

test('every route label is a template of the gateway', () => {
  const templates = new Set(rows.map((row) => row.path));
  for (const { labels } of all) {
    if (labels.route !== undefined && !templates.has(labels.route)) expect(labels.route).toMatch(/^(unknown|\/[a-z.:/-]*)$/);
  }
});

test('there are metrics of the process, its database and the services that share it', () => {
  const names = new Set(all.map(({ name }) => name));
  expect(names).toContain('nodejs_eventloop_lag_p99_seconds');
  if (publicApi().topology === 'distributed') return;
  for (const name of ['clinic_rpc_seconds_count', 'clinic_db_connections', 'clinic_outbox_oldest_seconds', 'clinic_event_delay_seconds_count']) {
    expect(names).toContain(name);
  }
  expect(count(all, 'clinic_rpc_seconds_count', { rpc: 'clinic.scheduling.v1.AppointmentService/BookAppointment', outcome: 'OK' })).toBeGreaterThan(0);
  expect(count(all, 'clinic_db_connections_max', { schema: 'scheduling' })).toBeGreaterThan(1);
  expect(count(all, 'clinic_nats_connected', { client: 'scheduling' })).toBe(1);
  expect(all.filter(({ name }) => name === 'clinic_queue_oldest_seconds').map(({ labels }) => labels.queue)).toEqual(
    expect.arrayContaining(['reminders', 'send-mail']),
  );
});

const LABELS =
  'address certificate client clock command consumer dependency folder group kind le major method minor operation outcome patch provider queue route rpc schema service space state status type version';

test('labels are few, and contain no data of a clinic or a person', () => {
  const used = new Map(all.flatMap(({ labels }) => Object.entries(labels).map((label) => [label.join('='), label])));
  const names = new Set([...used.values()].map(([name]) => name));
  expect([...names].filter((name) => !LABELS.split(' ').includes(name))).toEqual([]);
  const words = [clinic.id, clinic.email, phone, phone.slice(1), unknownId, 'Xochitl', 'Metrica'];
  const isPersonal = (value: string) => words.some((word) => value.includes(word)) || /[0-9a-f]{8}-[0-9a-f]{4}|@|\d{6}/i.test(value);
  expect([...used].filter(([, [, value]]) => isPersonal(value))).toEqual([]);
});

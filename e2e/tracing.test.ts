// A booking and its reminder are one trace in both topologies: through every process, its tables, its events and the scheduled job, up to the call
// of the chat provider.
import { rmSync } from 'node:fs';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withoutDemo } from '../scripts/dev/demo/file.ts';
import { type Product, startProduct } from '../scripts/dev/product.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';
import { type Api, apiAt, expectStatus } from './api.ts';
import { addDoctor, booking, type Clinic, freshPhone, newClinic } from './clinic.ts';
import { type CollectedSpan, type Collector, startCollector } from './collector.ts';
import { asOwner } from './product-internals.ts';

let collector: Collector;
let product: Product;
let dataDir: string;
let api: Api;
let clinic: Clinic;

beforeAll(async () => {
  collector = await startCollector();
  dataDir = tempFolder('traced');
  withoutDemo(dataDir);
  const env = { DATA_DIR: dataDir, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER_ARG: '1' };
  product = await startProduct(publicApi().topology, env);
  api = apiAt(product.api);
  clinic = await newClinic(api);
});
afterAll(async () => {
  await product?.stop();
  await collector?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const above = (span: CollectedSpan) => collector.spans.find(({ spanId }) => spanId === span.parentId);
const pathOf = (span: CollectedSpan | undefined): string[] => (span ? [span.name, ...pathOf(above(span))] : []);

test('a booking and its reminder', async () => {
  const doctor = await addDoctor(api, clinic);
  await expectStatus(
    200,
    api.post('/api/chat/start', { phone: freshPhone(), otpMethod: 'sms', wabaId: `waba-${clinic.id}`, accessToken: 'EAAGtest-token' }, clinic),
  );
  await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic));
  await expectStatus(200, api.patch('/api/chat/reminders', { quiet_from: '00:00', quiet_until: '00:00' }, clinic));
  const request = booking(doctor.id, '09:00');
  const { body: booked } = await expectStatus(201, api.post('/api/appointments', { ...request, patientName: 'Xochitl Trazada' }, clinic));

  // The reminder would be due days later, and its job runs once a minute: the test makes both due now.
  const due = "update messaging.reminders set due_at = now() where appointment_id = $1 and kind = 'day' and state = 'planned' returning trace";
  await waitFor(async () => (await asOwner(product.api, due, [booked.id])).length === 1);
  await asOwner(product.api, "insert into messaging_jobs.job (name, retry_limit) values ('send-reminders', 0)");
  const sent = await waitFor(
    () =>
      collector.spans.find(
        (span) => span.name === 'chat send' && pathOf(span).includes('POST /api/appointments') && pathOf(span).includes('send appointment_reminder'),
      ) ?? false,
  );

  const way = pathOf(sent);
  expect(way[0]).toBe('chat send');
  expect(way.at(-1)).toBe('POST /api/appointments');
  const stations = [
    'send appointment_reminder',
    'reminder is due',
    'handle messaging-reminders-booked',
    'publish scheduling.appointment-booked',
    'clinic.scheduling.v1.AppointmentService/BookAppointment',
  ];
  expect(way.filter((name) => stations.includes(name)).filter((name, index, all) => all.indexOf(name) === index)).toEqual(stations);

  const trace = collector.spans.filter(({ traceId }) => traceId === sent.traceId);
  expect(trace.map(({ name }) => name)).toEqual(expect.arrayContaining(['insert appointments', 'insert outbox', 'insert outbound']));
  const processes = [...new Set(trace.map(({ process }) => process))].sort();
  const several = ['clinic-gateway', 'clinic-identity', 'clinic-messaging', 'clinic-scheduling'];
  expect(processes).toEqual(publicApi().topology === 'single' ? ['clinic-all'] : expect.arrayContaining(several));

  expect(collector.raw()).toContain(clinic.id); // an opaque id, with which operators find the traces of one clinic
  for (const value of ['Xochitl', 'Trazada', request.patientPhone, request.patientPhone.slice(1), clinic.email, clinic.token.slice(0, 20)]) {
    expect(collector.raw()).not.toContain(value);
  }
});

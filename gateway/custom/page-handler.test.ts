// The error pages that a patient sees after opening a link, and what the pages show during maintenance.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Request } from 'express';
import { RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { endingPage } from './page-handler.ts';

const texts = { unknown: ['Unknown', ''], paused: ['Paused', ''], failed: ['Failed', ''] } as const;
const toErrorPage = endingPage({ es: texts, en: texts });

test.each<[Reason, string]>([
  ['NOT_FOUND', 'Unknown'],
  ['RATE_LIMITED', 'One moment, please'],
  ['READ_ONLY', 'Paused'],
  ['UNAVAILABLE', 'Failed'],
  ['INTERNAL', 'Failed'],
])('%s: %s', (reason, title) => {
  const { html } = toErrorPage(reason, { acceptsLanguages: () => 'en' } as unknown as Request); // only the language is read
  expect(html).toContain(`<h1>${title}</h1>`);
});

const TOKEN = 'a'.repeat(66);
const timezone = 'America/El_Salvador';
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  const clinic = { slug: 'sonrisa', name: 'Sonrisa', phone: '+50322001100', timezone, types: [{ id: RECORD_ID, name: 'Limpieza' }] };
  const appointment = { status: 'open', date: '2030-08-05', startTime: '10:00', endTime: '10:30', clinicName: 'Sonrisa', timezone };
  Object.assign(gateway.replies, {
    'AccessService.getOperatingState': () => ({
      maintenance: { active: true, message: 'Mejoras <x>', until: timestampFromDate(new Date('2099-08-03T21:30:00Z')) },
    }),
    'PublicBookingService.getBookableClinic': () => clinic,
    'PublicBookingService.getBooking': () => ({ bookingId: RECORD_ID, status: 'code_sent', channel: 'chat' }),
    'ManageLinkService.getManagedAppointment': () => appointment,
    'CheckInService.getCheckIn': () => ({ status: 'ready', firstName: 'Rosa', startTime: '10:00', clinicName: 'Sonrisa', missingForms: 2 }),
    'FormService.getPublicForm': () => ({ status: 'open', firstName: 'Rosa', title: 'Alergias' }),
  });
  await waitFor(async () => expect(((await (await fetch(`${gateway.url}/status`)).json()) as { maintenance: unknown }).maintenance).not.toBeNull());
});
afterAll(() => gateway.stop());

const NOTE = ['Mejoras &lt;x&gt;', 'Fin previsto: lunes 3 de agosto, 3:30\u00A0p.\u00A0m.'];

test.each([
  ['/book/sonrisa', 'Por ahora no se pueden pedir citas en línea', ...NOTE, 'href="tel:+50322001100"'],
  [`/book/sonrisa/${RECORD_ID}`, 'Por ahora no se pueden pedir citas en línea', ...NOTE],
  [`/forms/${TOKEN}`, 'Por ahora no se puede llenar este formulario', ...NOTE],
])('during maintenance %s says so at once, with the message and the end of the maintenance', async (path, ...expected) => {
  const response = await fetch(gateway.url + path);
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  const html = await response.text();
  for (const text of expected) expect(html).toContain(text);
});

test.each([
  [`/manage/${TOKEN}`, 'lunes 5 de agosto, 10:00\u00A0a.\u00A0m.', 'Por ahora no se puede confirmar, cambiar ni cancelar', ...NOTE],
  [`/manage/${TOKEN}?step=cancel`, 'Por ahora no se puede confirmar, cambiar ni cancelar'],
  [`/check-in/${TOKEN}`, 'Por ahora esta página no puede registrar su llegada', 'pídalos en recepción, o ábralos con el enlace si lo recibió'],
])('during maintenance %s shows the appointment without the buttons that change it', async (path, ...expected) => {
  const response = await fetch(gateway.url + path);
  expect(response.status).toBe(200);
  const html = await response.text();
  for (const text of expected) expect(html).toContain(text);
  expect(html).not.toMatch(/<button|step=/);
});

test.each(['/book/sonrisa', `/book/sonrisa/${RECORD_ID}`, `/manage/${TOKEN}`, `/api/check-in/${TOKEN}`])(
  'during maintenance the form of %s is refused with Retry-After',
  async (path) => {
    const response = await fetch(gateway.url + path, { method: 'POST', body: new URLSearchParams({ action: 'cancel' }) });
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true]);
  },
);

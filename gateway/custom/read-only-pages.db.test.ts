// The pages of a patient while its clinic is read-only.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const TOKEN = 'a'.repeat(66);
const get = async (path: string) => (await fetch(gateway.url + path, { headers: { 'accept-language': 'es' } })).text();

test('the page of a check-in has a button unless the clinic is read-only', async () => {
  const page = async (readOnly: boolean) => {
    gateway.replies['CheckInService.getCheckIn'] = () => ({ status: 'ready', firstName: 'Ana', startTime: '09:00', clinicName: 'Sonrisa', readOnly });
    return get(`/check-in/${TOKEN}`);
  };
  expect(await page(false)).toContain('<button>Ya llegué</button>');
  const paused = await page(true);
  expect(paused).not.toContain('<button>');
  expect(paused).toContain('avise en recepción, por favor');
});

test('a form that is not signed cannot be filled in while the clinic is read-only', async () => {
  const page = async (status: string, readOnly: boolean) => {
    gateway.replies['FormService.getPublicForm'] = () => ({ status, firstName: 'Ana', title: 'Alergias', clinicName: 'Sonrisa', readOnly });
    return (await fetch(`${gateway.url}/forms/${TOKEN}`)).status;
  };
  expect([await page('open', false), await page('open', true), await page('signed', true)]).toEqual([200, 503, 200]);
});

test.each(['', '?step=move', '?step=cancel'])('the page of an appointment%s changes nothing while the clinic is read-only', async (step) => {
  const appointment = { status: 'open', date: '2026-08-03', startTime: '09:00', endTime: '09:30', timezone: 'America/El_Salvador', clinicName: 'Sonrisa' };
  const page = (readOnly: boolean) => {
    gateway.replies['ManageLinkService.getManagedAppointment'] = () => ({ ...appointment, readOnly });
    gateway.replies['ManageLinkService.listManagedDays'] = () => ({ days: [] });
    return get(`/manage/${TOKEN}${step}`);
  };
  const note = 'Por ahora no se puede confirmar, cambiar ni cancelar';
  expect(await page(false)).not.toContain(note);
  const paused = await page(true);
  expect(paused).toContain(note);
  expect(paused).not.toMatch(/<button>|step=/);
});

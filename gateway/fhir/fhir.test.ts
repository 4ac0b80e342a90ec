// The FHIR API: each response is valid by the official definitions, and search parameters reach the services.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fhir from 'fhir';
import { activeState, CLINIC_ID, RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { toBundle } from './resources.ts';

const DOCTOR_ID = '0198a3f2-7c1e-7d4b-9a53-000000000007';
const at = (text: string) => timestampFromDate(new Date(text));
const doctor = { id: DOCTOR_ID, fullName: 'Dra. Elena Rivas', specialty: 'Ortodoncia', isActive: true, updatedAt: at('2026-11-02T10:00:00Z') };
const patient = {
  id: RECORD_ID,
  fullName: 'María López',
  phone: '+50370001234',
  dui: '******97-5',
  email: 'maria@example.com',
  birthDate: '1990-04-12',
  gender: 'female',
  address: 'Santa Tecla',
  updatedAt: at('2026-11-02T10:00:00Z'),
};
const appointment = {
  id: RECORD_ID,
  doctorId: DOCTOR_ID,
  patientId: RECORD_ID,
  status: 'confirmed',
  startsAt: at('2026-11-23T15:00:00Z'),
  endsAt: at('2026-11-23T15:30:00Z'),
  durationMinutes: 30,
  createdAt: at('2026-11-02T10:00:00Z'),
  updatedAt: at('2026-11-02T10:00:00Z'),
  patients: { id: RECORD_ID, fullName: 'María López' },
  doctors: { id: DOCTOR_ID, fullName: 'Dra. Elena Rivas' },
  appointmentTypes: { id: RECORD_ID, name: 'Control de brackets', color: '#112233' },
};

const validator = new fhir.Fhir();
let gateway: TestGateway;
let scopes: string[] = ['fhir:read'];
beforeAll(async () => {
  gateway = await startTestGateway({ PUBLIC_URL: 'https://api.clinic.test/' }, manualClock(new Date('2026-11-22T16:00:00Z')));
  Object.assign(gateway.replies, {
    'AccessService.resolveKey': () => ({ key: { id: RECORD_ID, clinicId: CLINIC_ID, scopes, state: activeState } }),
    'PatientService.getPatient': () => patient,
    'PatientService.listPatients': ({ page, limit }: { page: number; limit: number }) => ({ patients: [patient], total: 41, page, limit }),
    'DoctorService.getDoctor': () => doctor,
    'DoctorService.listDoctors': () => ({ doctors: [doctor], total: 1, page: 1, limit: 20 }),
    'DoctorService.listSlots': () => ({ slots: [{ startTime: '09:00', endTime: '09:30' }] }),
    'AppointmentService.getAppointment': () => appointment,
    'AppointmentService.listAppointments': () => ({
      appointments: [appointment, { ...appointment, status: 'cancelled', cancellationReason: 'Viaje' }],
      total: 2,
    }),
  });
});
afterAll(() => gateway.stop());

async function get(path: string, authorization = `Bearer ck_${'a'.repeat(43)}`) {
  gateway.calls.splice(0);
  const response = await fetch(`${gateway.url}/fhir/R4${path}`, { headers: { authorization } });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: JSON.parse(await response.text()) as Record<string, never> & { entry: never[] },
  };
}
const sent = () =>
  gateway.calls.map(({ rpc, request }) => [rpc, JSON.parse(JSON.stringify(request, (name, value) => (name === '$typeName' ? undefined : value)))]);

test.each([
  'metadata',
  'metadata?mode=full&_format=json',
  'Patient?name=maria',
  `Patient/${RECORD_ID}`,
  'Practitioner?active=true',
  `Practitioner/${DOCTOR_ID}`,
  `Schedule?actor=Practitioner/${DOCTOR_ID}`,
  `Schedule/${DOCTOR_ID}`,
  `Slot?schedule=Schedule/${DOCTOR_ID}&start=ge2026-11-23&start=le2026-11-24&status=free`,
  `Slot/${DOCTOR_ID}.202611230900`,
  'Appointment?date=ge2026-11-01&status=booked',
  `Appointment/${RECORD_ID}`,
])('%s is valid by the official definitions', async (path) => {
  const { status, type, body } = await get(`/${path}`);
  expect([status, type]).toEqual([200, 'application/fhir+json; charset=utf-8']);
  const { messages } = validator.validate(body, { errorOnUnexpected: true });
  expect(messages.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect(JSON.stringify(body)).not.toContain('97-5');
});

test('an appointment has its start, status, patient and doctor', async () => {
  const { body } = await get(`/Appointment/${RECORD_ID}`);
  expect(body).toMatchObject({
    resourceType: 'Appointment',
    status: 'booked',
    start: '2026-11-23T15:00:00.000Z',
    end: '2026-11-23T15:30:00.000Z',
    minutesDuration: 30,
    participant: [{ actor: { reference: `Patient/${RECORD_ID}`, display: 'María López' } }, { actor: { reference: `Practitioner/${DOCTOR_ID}` } }],
  });
});

test('slots start at instants computed in the clinic’s zone, and past days are not requested', async () => {
  const { body } = await get(`/Slot?schedule=${DOCTOR_ID}&start=ge2026-11-20&start=lt2026-11-24&_count=1&_page=2`);
  expect(sent().map(([, request]) => request)).toEqual(['2026-11-22', '2026-11-23'].map((date) => ({ doctorId: DOCTOR_ID, date })));
  expect(body).toMatchObject({ total: 2, entry: [{ resource: { start: '2026-11-23T15:00:00.000Z', end: '2026-11-23T15:30:00.000Z', status: 'free' } }] });
});

test('parameters reach the services', async () => {
  await get('/Patient?phone=7000&_count=5&_page=3');
  expect(sent()).toEqual([['PatientService.listPatients', { search: '+7000', page: 3, limit: 5, archived: false }]]);
  for (const [patientId, doctorId] of [[RECORD_ID, DOCTOR_ID] as const, [RECORD_ID.toUpperCase(), DOCTOR_ID.toUpperCase()] as const]) {
    await get(`/Appointment?date=gt2026-11-01&date=lt2026-11-10&status=noshow&patient=Patient/${patientId}&practitioner=${doctorId}`);
    expect(sent()[0]?.[1]).toMatchObject({ start: '2026-11-02', end: '2026-11-09', status: 'no_show', patientId: RECORD_ID, doctorId: DOCTOR_ID });
  }
  await get(`/Appointment?patient=${encodeURIComponent(`https://api.clinic.test/fhir/R4/Patient/${RECORD_ID}`)}`);
  expect(sent()[0]?.[1]).toMatchObject({ patientId: RECORD_ID });
  for (const path of [`Patient?_id=${RECORD_ID.toUpperCase()}`, `Patient/${RECORD_ID.toUpperCase()}`]) {
    await get(`/${path}`);
    expect(sent()).toEqual([['PatientService.getPatient', { id: RECORD_ID }]]);
  }
});

test.each([
  ['name=maria', ['maria']],
  ['name=7000-1234', []],
  ['name=00016297-5', []],
  ['phone=(503)+7000-1234', ['+50370001234']],
  ['phone=00016297-5', ['+000162975']], // with a plus, listPatients does not search for a DUI
  ['phone=maria', []],
])('Patient?%s searches only for a name or only for a phone, never for a DUI', async (query, searches) => {
  const { status, body } = await get(`/Patient?${query}`);
  expect(sent().map(([, { search }]) => search)).toEqual(searches);
  expect([status, body.total]).toEqual([200, searches.length > 0 ? 41 : 0]);
});

test('a bundle links to its other pages', async () => {
  const { body } = await get('/Patient?name=maria&_page=2');
  const url = 'https://api.clinic.test/fhir/R4/Patient?name=maria&_page=';
  expect(body).toMatchObject({
    total: 41,
    link: [
      { relation: 'self', url: `${url}2` },
      { relation: 'previous', url: `${url}1` },
      { relation: 'next', url: `${url}3` },
    ],
  });
});

test.each([
  ['is the last one', 40, 2, 20, ['self', 'previous']],
  ['is full and the total is capped', 10_000, 500, 20, ['self', 'previous', 'next']],
  ['follows a capped total', 10_000, 501, 20, ['self', 'previous', 'next']],
  ['is the last one after a capped total', 10_000, 501, 19, ['self', 'previous']],
])('links of a page that %s', (_, total, page, rows, relations) => {
  const bundle = toBundle('', 'Patient', '', Array(rows).fill({ resourceType: 'Patient', id: RECORD_ID }), { page, limit: 20, total });
  expect(bundle.link.map(({ relation }) => relation)).toEqual(relations);
});

test.each([
  ['PatientService.getPatient', `Patient?_id=${RECORD_ID}`, `Patient/${RECORD_ID}`],
  ['DoctorService.getDoctor', `Schedule?actor=${RECORD_ID}`, `Schedule/${RECORD_ID}`],
  ['DoctorService.listSlots', `Slot?schedule=${RECORD_ID}`, `Slot/${RECORD_ID}.202611230900`],
])('a search for a record that does not exist finds nothing, and reading it is 404: %s', async (rpc, search, read) => {
  const reply = gateway.replies[rpc];
  gateway.replies[rpc] = () => {
    throw new ServiceError('NOT_FOUND', 'Record not found');
  };
  const [found, missing] = [await get(`/${search}`), await get(`/${read}`)];
  Object.assign(gateway.replies, { [rpc]: reply });
  expect(found.body).toMatchObject({ resourceType: 'Bundle', total: 0 });
  expect(missing).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('a search for dates that exclude each other finds nothing', async () => {
  const { status, body } = await get('/Appointment?date=ge2026-11-10&date=lt2026-11-10');
  expect([status, body.total, sent()]).toEqual([200, 0, []]);
});

describe('refused with the errors of the REST API:', () => {
  test.each([
    ['Patient?birthdate=1990-04-12', 'birthdate'],
    ['Patient?name=a&name=b', 'name'],
    [`Patient?_id=${RECORD_ID}&name=a`, 'name'],
    [`Patient?phone=7&_id=${RECORD_ID}`, 'phone'],
    ['Patient?name=a&phone=7', 'name'],
    [`Practitioner?_id=${RECORD_ID}&active=true`, 'active'],
    [`Schedule?_id=${RECORD_ID}&actor=${DOCTOR_ID}`, 'actor'],
    [`Schedule?actor=${DOCTOR_ID}&active=true`, 'active'],
    [`Appointment?_count=5&_id=${RECORD_ID}&patient=${DOCTOR_ID}&status=foo`, 'patient'],
    ['Patient?_count=101', '_count'],
    ['Patient?_page=0', '_page'],
    ['Patient?_format=xml', '_format'],
    ['Patient?name=%00', 'name'],
    ['Patient?name=', 'name'],
    ['Patient?phone=', 'phone'],
    ['metadata?mode=terminology', 'mode'],
    [`Patient?name=${'a'.repeat(201)}`, 'name'],
    [`Patient?phone=${'1'.repeat(201)}`, 'phone'],
    [`Patient/${RECORD_ID}?x=1`, 'x'],
    ['Appointment?date=ne2026-11-01', 'date'],
    ['Appointment?date=2026-02-30', 'date'],
    ['Appointment?status=arrived', 'status'],
    ['Appointment?patient=Doctor/1', 'patient'],
    [`Appointment?patient=https://other.test/fhir/R4/Patient/${RECORD_ID}`, 'patient'],
    ['Slot', 'schedule'],
    [`Slot?schedule=${DOCTOR_ID}&start=2026-11-23&start=le2027-11-23&start=ge2026-11-23&status=x`, 'status'],
    [`Slot?schedule=${DOCTOR_ID}&start=ge2026-11-23&start=le2026-12-23`, 'start'],
  ])('%s', async (path, name) => {
    expect(await get(`/${path}`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ path: name }] } });
    expect(sent()).toEqual([]);
  });

  test('a key without the scope, and an unauthenticated caller', async () => {
    scopes = ['patients:read'];
    expect(await get('/Patient')).toMatchObject({ status: 403, body: { code: 'SCOPE_REQUIRED' } });
    scopes = ['fhir:read'];
    expect(await get('/Patient', '')).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(await get('/metadata', '')).toMatchObject({ status: 200 });
  });

  test('a malformed id, an unsupported resource, and a change', async () => {
    for (const path of ['Patient/a%20b', 'Slot/x.202611230900', `Slot/${DOCTOR_ID}.202611230905`, 'Observation'])
      expect([path, await get(`/${path}`)]).toMatchObject([path, { status: 404, body: { code: 'NOT_FOUND' } }]);
    const response = await fetch(`${gateway.url}/fhir/R4/Patient`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

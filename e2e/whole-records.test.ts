// Clients may send a whole record back, as a list or a read returned it, with one field changed: masked and computed values in it change nothing.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, inDays, newClinic } from './clinic.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

const post = async (path: string, body: Body): Promise<Body> => (await expectStatus(201, api.post(path, body, clinic))).body;
const get = async (path: string): Promise<Body> => (await expectStatus(200, api.get(path, clinic))).body;

const details = { dui: '00016297-5', email: 'luis@example.com', birthDate: '1980-01-31', gender: 'male', address: 'Calle 1', notes: 'Alergia' };
const addDependant = async () => post(`/api/patients/${(await addPatient(api, clinic)).id}/dependants`, { fullName: 'Luz Paz', dui: details.dui });
const addAppointment = async () => book(api, clinic, booking((await addDoctor(api, clinic)).id, '08:00'));
const addType = () => post('/api/appointment-types', { name: 'Limpieza', durationMinutes: 45, color: '#2E7D32', resourceKind: 'chair' });

type Case = {
  add: () => Promise<Body>;
  list: string;
  /** The changed field, as it is sent and as it is shown. */
  changed: Body;
  shown?: Body;
};
const patients = { list: '/api/patients', changed: { notes: 'Alergia al látex' } };
const doctors = { add: () => addDoctor(api, clinic, { specialty: 'Endodoncia', bufferTimeMinutes: 5 }), list: '/api/doctors', changed: { bio: 'Veinte años' } };
const appointments = { add: addAppointment, list: `/api/appointments?date=${inDays(7)}` };

test.each<[string, Case]>([
  ['PATCH /api/patients/:id', { ...patients, add: () => addPatient(api, clinic, details) }],
  ['PATCH /api/patients/:id', { ...patients, add: addDependant }],
  ['PATCH /api/doctors/:id', doctors],
  ['PUT /api/doctors/:id', doctors],
  ['PATCH /api/appointments/:id', { ...appointments, changed: { notes: 'Trae radiografías' } }],
  ['PATCH /api/appointments/:id/status', { ...appointments, changed: { status: 'completed' }, shown: { completed_at: expect.any(String) } }],
  ['PATCH /api/appointment-types/:id', { add: addType, list: '/api/appointment-types', changed: { name: 'Limpieza larga' } }],
  ['PATCH /api/resources/:id', { add: () => post('/api/resources', { name: 'Sillón 1', kind: 'chair' }), list: '/api/resources', changed: { name: 'Sala' } }],
])('%s changes only the field that differs', async (route, { add, list, changed, shown = {} }) => {
  const [method = '', path = ''] = route.split(' ');
  const { id } = await add();
  const listed = async (): Promise<Body> =>
    Object.values<Body>(await get(list))
      .flat()
      .find((one) => one.id === id);
  const single = path.includes('types') || path.includes('resources') ? listed : () => get(`${list.split('?')[0]}/${id}`);
  for (const read of [listed, single]) {
    const before = await single();
    await expectStatus(200, api.send(method, path.replace(':id', id), { ...(await read()), ...changed }, clinic));
    const after = await single();
    expect(after).toEqual({ ...before, ...changed, ...shown, updated_at: after.updated_at });
  }
});

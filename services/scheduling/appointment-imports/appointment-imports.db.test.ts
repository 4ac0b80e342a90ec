// Imports of past appointments and balances: rows are imported once, nobody is notified, and errors are listed by row.
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { asAdmin } from '@clinic/lib/testing/callers.ts';
import { type ImportOpeningBalancesRequest, OpeningBalanceService } from '@clinic/proto/dental/v1/opening_balance_pb.js';
import { AppointmentImportService } from '@clinic/proto/scheduling/v1/appointment_import_pb.js';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { everyDay, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';

let s: Scheduling;
let owner: pg.Client;
let id: string;
let patientId: string;
const sent: { request: ImportOpeningBalancesRequest; key: string | undefined }[] = [];

beforeAll(async () => {
  const dental = fakeOf(OpeningBalanceService, {
    importOpeningBalances: async (_app, request, call) => {
      sent.push({ request, key: call.idempotencyKey });
      return { results: request.balances.map((_, index) => ['created', 'differs', 'unchanged'][index] ?? 'created') };
    },
  });
  s = await startScheduling({ dental: localTransport([dental]) });
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl, options: '-c search_path=scheduling' });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});
beforeEach(async () => {
  const made = await s.clinic();
  id = made.id;
  patientId = (await s.patients.createPatient({ fullName: 'Ana Paz', phone: '+50370000001' }, s.asUser(id))).id;
});

async function bring(kind: 'Appointment' | 'Balance', text: string, dryRun = false) {
  const bulk = s.service.client(PatientBulkService);
  const begun = await bulk.beginPatientImport({ dryRun }, s.asUser(id));
  await bulk.appendPatientImport({ id: begun.id, seq: 0, content: Buffer.from(text) }, s.asUser(id));
  const done = await s.service.client(AppointmentImportService)[`finish${kind}Import`]({ id: begun.id, chunks: 1 }, s.asUser(id));
  return { done, counts: [done.created, done.updated, done.skipped, done.errorCount], errors: done.errors.map(({ row, column }) => [row, column]) };
}
const list = async () => (await s.appointments.listAppointments({ limit: 500 }, s.asUser(id))).appointments;
const events = async () => (await owner.query('select subject, payload from outbox where clinic_id = $1 order by id', [id])).rows;

test('past appointments are added once, and nobody is notified', async () => {
  await s.doctors.createDoctor({ fullName: 'Dr. Mario Ruiz', workingHours: everyDay('08:00', '12:00') }, asAdmin(id));
  await s.service.client(PatientFamilyService).createDependant({ id: patientId, fullName: 'Luz Paz' }, s.asUser(id));
  const file = [
    'Nombre;Teléfono;Fecha;Hora;Doctor;Estado;Minutos;Motivo',
    'Ana;70000001;5/3/2024;2:30 PM;Ana Rivas;Completada;45;Limpieza',
    'Luz Paz;70000001;2024-03-05 09:00;;Dra. Ana Rivas;no asistió;;',
    ';+50370000001;2023-01-01;;mario ruiz;;;',
    'Ana;70000001;5/3/2024;14:30;Ana Rivas;Completada;45;Otra vez',
    'Ana;70000001;2026-06-01;08:00;Ana Rivas;;;',
    'Ana;70009999;2024-03-05;08:00;Ana Rivas;;;',
    'Ana;70000001;2024-03-05;08:00;Eva Sol;;;',
    'Ana;;31/02/2024;99:00;Ana Rivas;Scheduled;3;',
  ].join('\n');
  const before = (await events()).length;
  const tried = await bring('Appointment', file, true);
  expect([tried.counts, await list()]).toEqual([[3, 0, 0, 9], []]);
  const { done, counts, errors } = await bring('Appointment', file);
  expect(counts).toEqual([3, 0, 0, 9]);
  expect(done).toMatchObject({ kind: 'appointments', status: 'done', rows: 8 });
  expect(errors).toEqual([[5, 'Fecha'], [6, 'Fecha'], [7, ''], [8, ''], ...['Teléfono', 'Fecha', 'Hora', 'Minutos', 'Estado'].map((column) => [9, column])]);
  const made = await list();
  expect(made).toMatchObject([
    {
      appointmentDate: '2023-01-01',
      startTime: '08:00:00',
      endTime: '08:30:00',
      status: 'completed',
      source: 'manual',
      doctors: { fullName: 'Dr. Mario Ruiz' },
    },
    { appointmentDate: '2024-03-05', startTime: '09:00:00', status: 'no_show', patients: { fullName: 'Luz Paz' } },
    { appointmentDate: '2024-03-05', startTime: '14:30:00', endTime: '15:15:00', notes: 'Limpieza', durationMinutes: 45, patients: { fullName: 'Ana Paz' } },
  ]);
  const luz = await s.patients.getPatient({ id: made[1]?.patientId ?? '' }, s.asUser(id));
  expect(luz.noShowCount).toBe(1);
  const published = (await events()).slice(before);
  expect(published.map(({ subject }) => subject.split('.').at(-1))).toEqual(['appointments-updated']);
  expect(published[0].payload.appointments).toHaveLength(3);

  expect((await bring('Appointment', file)).counts).toEqual([0, 0, 3, 9]);
  expect(await list()).toEqual(made);
});

test('an appointment occupies the buffer after it, as a booked one does', async () => {
  const { id: doctorId } = await s.doctors.createDoctor(
    { fullName: 'Dr. Mario Ruiz', bufferTimeMinutes: 10, workingHours: everyDay('08:00', '12:00') },
    asAdmin(id),
  );
  await bring('Appointment', 'telefono,fecha,hora,doctor,minutos\n70000001,2024-03-05,09:00,Mario Ruiz,45');
  expect(await list()).toMatchObject([{ startTime: '09:00:00', endTime: '09:45:00' }]);
  const { rows } = await owner.query(
    'select extract(epoch from upper(busy) - starts_at)::int as occupied, extract(epoch from completed_at - starts_at)::int as length from appointments where doctor_id = $1',
    [doctorId],
  );
  expect(rows).toEqual([{ occupied: 55 * 60, length: 45 * 60 }]);
});

test('two concurrent imports of one file add each appointment once, also for merged records', async () => {
  const other = await s.patients.createPatient({ fullName: 'Ana P', phone: '+50370000002' }, s.asUser(id));
  const rows = Array.from(
    { length: 60 },
    (_, index) => `7000000${1 + (index % 2)},2024-03-${String(1 + (index % 30)).padStart(2, '0')},${8 + Math.floor(index / 30)}:00`,
  );
  const file = ['telefono,fecha,hora', ...rows].join('\n');
  const both = await Promise.all([bring('Appointment', file), bring('Appointment', file)]);
  expect(both.reduce((sum, { done }) => sum + done.created, 0)).toBe(60);
  expect(both.map(({ done }) => done.created + done.skipped)).toEqual([60, 60]);
  await s.service.client(PatientFamilyService).mergePatients({ keepId: patientId, mergeId: other.id }, s.asAdmin(id));
  expect((await bring('Appointment', file)).counts).toEqual([0, 0, 60, 0]);
  expect(await list()).toHaveLength(60);
});

test('a file without the required columns is refused, and a clinic with one doctor needs no column for it', async () => {
  for (const text of ['telefono\n70000001', 'fecha\n2024-01-01', 'nombre,fecha\nAna,2024-01-01'])
    await expect(bring('Appointment', text)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'body' }] });
  await expect(bring('Balance', 'telefono\n70000001')).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  expect((await bring('Appointment', 'PatNum,AptDateTime,AptStatus,ProcDescript,telefono\n5,2024-01-01T10:00:00,2,PerEx,70000001')).counts).toEqual([
    1, 0, 0, 0,
  ]);
});

test('balances are passed to dental, with the patients, the records merged into them, and a key for each batch', async () => {
  sent.length = 0;
  for (const index of [2, 3, 4]) await s.patients.createPatient({ fullName: `P ${index}`, phone: `+5037000000${index}` }, s.asUser(id));
  const file =
    'telefono;saldo;vencimiento;concepto\n70000001;$1,250.00;1/2/2026;Ortodoncia\n70000002;5\n70000003;6,5\n70000004;0.00\n70000009;1\n70000004;-3\n70000003;0\n';
  const { counts, done, errors } = await bring('Balance', file);
  expect([counts, errors]).toEqual([
    [1, 0, 3, 3],
    [
      [3, ''],
      [6, ''],
      [7, 'saldo'],
    ],
  ]);
  expect(done).toMatchObject({ kind: 'balances', status: 'done' });
  expect(sent).toMatchObject([
    {
      request: {
        dryRun: false,
        balances: [{ patientId, amount: 125_000n, dueDate: '2026-02-01', description: 'Ortodoncia' }, { amount: 500n }, { amount: 650n }],
      },
    },
  ]);
  expect(sent[0]?.key).toMatch(new RegExp(`^${done.id}/0/`));
  const twice = await s.patients.createPatient({ fullName: 'Ana Paz', phone: '+50370000005' }, s.asUser(id));
  await s.service.client(PatientFamilyService).mergePatients({ keepId: patientId, mergeId: twice.id }, s.asAdmin(id));
  await bring('Balance', file, true);
  expect(sent[1]).toMatchObject({ request: { dryRun: true, balances: [{ patientId, mergedIds: [twice.id] }, { mergedIds: [] }, { mergedIds: [] }] } });
  const { rows } = await owner.query('select changes from audit_log where clinic_id = $1 and action = $2', [id, 'balance_import.finished']);
  expect(rows).toHaveLength(2);
});

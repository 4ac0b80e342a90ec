// The timeline of a patient: entries of three services in one order, page by page, also when a service is unavailable.
import { randomUUID } from 'node:crypto';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem, execute, sql } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { TimelineService as DentalTimelineService } from '@clinic/proto/dental/v1/timeline_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { TimelineService as MessagingTimelineService } from '@clinic/proto/messaging/v1/timeline_pb.js';
import { ClinicalNoteService } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientTimelineService } from '@clinic/proto/scheduling/v1/patient_timeline_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MONDAY, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';

type Asked = { before?: Parameters<typeof timestampDate>[0] | undefined; beforeId: string; limit: number };
type Stored = { at: Date; id: string };

let s: Scheduling;
const payments: Stored[] = [];
const messages: Stored[] = [];
const requested: { patientIds: string[]; phones: string[] } = { patientIds: [], phones: [] };
let dentalAvailable = true;
let features = ['dental'];

/** What a service with these records returns. */
function entriesOf(kind: string, records: Stored[], { before, beforeId, limit }: Asked) {
  const after = ({ at, id }: Stored) => !before || at < timestampDate(before) || (+at === +timestampDate(before) && id < beforeId);
  const newest = (a: Stored, b: Stored) => +b.at - +a.at || (a.id < b.id ? 1 : -1);
  const page = records.filter(after).sort(newest).slice(0, limit);
  return { entries: page.map(({ at, id }) => ({ at: timestampFromDate(at), kind, id, title: kind })) };
}

beforeAll(async () => {
  const app = { log: createLog('dental', 'silent'), constraints: {} };
  const dental = localTransport([
    implement(app, DentalTimelineService, {
      listTimelineEntries: async (_, request) => {
        requested.patientIds = request.patientIds;
        return dentalAvailable ? entriesOf('payment', payments, request) : fail('UNAVAILABLE');
      },
    }),
  ]);
  const messaging = localTransport([
    implement(app, MessagingTimelineService, {
      listTimelineEntries: async (_, request) => {
        requested.phones = request.phones;
        return entriesOf('message', messages, request);
      },
    }),
  ]);
  const identity = localTransport([fakeOf(AccessService, { resolveClinic: async () => ({ clinicType: 'dental', features }) })]);
  s = await startScheduling({ identity, dental, messaging });
});
afterAll(() => s.service.stop());

const client = () => s.service.client(PatientTimelineService);

async function readAll(patientId: string, clinicId: string, limit: number) {
  const kinds: string[] = [];
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client().getPatientTimeline({ patientId, limit, ...(cursor !== undefined && { cursor }) }, s.asUser(clinicId));
    kinds.push(...page.entries.map(({ kind }) => kind));
    ids.push(...page.entries.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { kinds, ids };
}

test('each entry appears once in one order, whatever the size of a page; an unavailable service is named', async () => {
  const { id, doctor } = await s.clinic();
  const booked = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const { patientId } = booked;
  const note = await s.service.client(ClinicalNoteService).createClinicalNote({ patientId, text: 'Dolor en 36' }, s.asUser(id));
  // One of the two files is still being uploaded.
  const stored = `insert into patient_files (clinic_id, id, patient_id, name, kind, content_type, hash, key_sealed, created_at, reserved_at, stored_at)
    select $1, gen_random_uuid(), $2, name, 'xray', 'image/png', '', '', $3, $3, stored from (values ('a.png', $3), ('b.png', null::timestamptz)) v (name, stored)`;
  const prescribed = `insert into prescriptions (clinic_id, id, number, patient_id, patient_name, author_id, author_name, items, created_at)
    values ($1, gen_random_uuid(), 3, $2, 'Luis', $1, 'Ana', '[{"drug": "Ibuprofeno"}, {"drug": "Amoxicilina"}]', $3)`;
  const lastYear = new Date('2025-06-01T00:00:00Z');
  for (const statement of [stored, prescribed]) await asSystem(s.service.db, (tx) => execute(tx, sql(statement), [id, patientId, lastYear]));
  const at = (hours: number) => new Date(MONDAY.getTime() - hours * 3_600_000);
  payments.push(...[1, 1, 2].map((hours) => ({ at: at(hours), id: randomUUID() })));
  messages.push(...[1, 3].map((hours) => ({ at: at(hours), id: randomUUID() })));

  const whole = await readAll(patientId, id, 500);
  expect(whole.kinds.toSorted()).toEqual(['appointment', 'file', 'message', 'message', 'note', 'payment', 'payment', 'payment', 'prescription']);
  expect(whole.ids.slice(0, 2)).toEqual([booked.id, note.id]);
  for (const limit of [1, 2, 3]) expect(await readAll(patientId, id, limit)).toEqual(whole);
  expect(requested).toEqual({ patientIds: [patientId], phones: [booked.patients?.phone] });
  const oldest = (await client().getPatientTimeline({ patientId }, s.asUser(id))).entries.slice(-2).map(({ title }) => title);
  expect(oldest.sort()).toEqual(['N.º 3: Ibuprofeno, Amoxicilina', 'a.png']);
  const first = await client().getPatientTimeline({ patientId, limit: 2 }, s.asUser(id));
  expect(first).toMatchObject({
    entries: [
      { kind: 'appointment', title: 'Dra. Ana Rivas', status: 'confirmed' },
      { kind: 'note', title: 'Dolor en 36' },
    ],
    partial: [],
  });

  // Without the dental part of the plan, its entries are hidden, and nothing is missing.
  features = [];
  const hidden = await client().getPatientTimeline({ patientId }, s.asUser(id));
  features = ['dental'];
  expect([hidden.partial, hidden.entries.filter(({ kind }) => kind === 'payment')]).toEqual([[], []]);

  dentalAvailable = false;
  const partly = await client()
    .getPatientTimeline({ patientId }, s.asUser(id))
    .finally(() => {
      dentalAvailable = true;
    });
  expect([partly.partial, partly.entries.slice(0, 4).map(({ kind }) => kind)]).toEqual([['dental'], ['appointment', 'note', 'message', 'message']]);
});

test('records merged into the patient are included; unknown patients and cursors are refused', async () => {
  const { id, doctor } = await s.clinic();
  const [one, two] = [
    await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id)),
    await s.appointments.bookAppointment(s.booking(doctor.id, '10:00'), s.asUser(id)),
  ];
  const note = await s.service.client(ClinicalNoteService).createClinicalNote({ patientId: two.patientId, text: 'x' }, s.asUser(id));
  await s.service.client(PatientFamilyService).mergePatients({ keepId: one.patientId, mergeId: two.patientId }, s.asAdmin(id));
  for (const patientId of [one.patientId, two.patientId]) {
    expect((await readAll(patientId, id, 500)).ids).toEqual(expect.arrayContaining([one.id, two.id, note.id]));
    expect(requested.patientIds.toSorted()).toEqual([one.patientId, two.patientId].sort());
  }
  const ask = (request: object, clinic = id) => client().getPatientTimeline({ patientId: one.patientId, ...request }, s.asUser(clinic));
  for (const patientId of ['none', randomUUID()]) await expect(ask({ patientId })).rejects.toMatchObject({ message: 'Patient not found' });
  await expect(ask({}, randomUUID())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  for (const cursor of ['x', Buffer.from('2026-06-01T00:00:00Z none').toString('base64url')])
    await expect(ask({ cursor })).rejects.toMatchObject({ details: [{ path: 'cursor' }] });
});

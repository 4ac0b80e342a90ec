// Recall on a real database, from a patient's last appointment to the booking that follows an answer.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { PatientsMergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { onPatientsMerged } from '../patient-merges/consumers.ts';
import { type Recall, startRecall } from '../testing/recall-clinic.ts';
import { onClinicUpdated } from './consumers/project-clinics.ts';
import { rebuildProjection } from './rebuild-projection.ts';

type Contact = Awaited<ReturnType<Recall['contacts']>>[number];

let r: Recall;
let clinicId: string;
const NIGHT = new Date('2026-06-02T08:00:00Z'); // two in the morning in UTC-6
const MORNING = new Date('2026-06-02T15:00:00Z'); // nine o'clock
beforeAll(async () => {
  r = await startRecall();
});
afterAll(() => r.stop());
beforeEach(async () => {
  await r.query('truncate recall_contacts, recall_campaigns, recall_runs, recall_visits, recall_patients cascade');
  r.clock.set(NIGHT);
  clinicId = randomUUID();
});

/** A patient whose last appointment was 200 days ago, and a campaign. */
async function absent(given: object = {}) {
  const patientId = await r.patient(clinicId);
  await r.appointment(clinicId, patientId, -200);
  const campaign = await r.campaign(clinicId, given);
  return { patientId, campaign };
}
const only = async (campaignId: string) => {
  const [contact, ...others] = await r.contacts(clinicId, campaignId);
  expect(others).toEqual([]);
  if (!contact) throw new Error('no contact');
  return contact;
};

describe('the nightly run', () => {
  test('queues a contact once for the send time, however often it runs', async () => {
    const { campaign, patientId } = await absent();
    await r.run();
    await r.run();
    await r.query('delete from recall_runs'); // as if the record of the run were lost
    await r.run();
    const contact = await only(campaign.id);
    expect(contact).toMatchObject({ patientId, patientName: 'Rosa Díaz', status: 'queued', attempt: 1, dueAt: { seconds: BigInt(MORNING.getTime() / 1000) } });
    expect(await r.release()).toBe(0);
    r.clock.set(MORNING);
    expect([await r.release(), await r.release()]).toEqual([1, 0]);
    const events = await r.query(`select subject, payload from outbox where clinic_id = $1 and subject like '%recall-message-due'`, [clinicId]);
    expect(events).toEqual([
      { subject: `clinic.${clinicId}.dental.recall-message-due`, payload: { contactId: contact.id, campaignId: campaign.id, patientId } },
    ]);
  });

  test('that is late queues for the next send time and does not repeat the day', async () => {
    const { campaign } = await absent();
    r.clock.set(new Date('2026-06-03T05:30:00Z')); // 23:30 of the same day
    await r.run();
    expect(await r.release()).toBe(0);
    r.clock.set(new Date('2026-06-03T08:00:00Z'));
    await r.run();
    expect(await only(campaign.id)).toMatchObject({ attempt: 1, dueAt: { seconds: BigInt(Date.parse('2026-06-03T15:00:00Z') / 1000) } });
    r.clock.set(new Date('2026-06-03T15:00:00Z'));
    expect(await r.release()).toBe(1);
  });

  test('of more than one batch releases each contact once', async () => {
    await r.campaign(clinicId);
    await r.query(`insert into recall_patients select $1, uuidv7(), false, null, true, false, 1 from generate_series(1, 1234)`, [clinicId]);
    await r.query(`insert into recall_visits select clinic_id, uuidv7(), patient_id, '2025-06-01', '2025-06-01', 'completed', 1 from recall_patients`);
    await r.run();
    r.clock.set(MORNING);
    expect((await Promise.all([r.release(), r.release()])).reduce((sum, released) => sum + released)).toBe(1234);
    const [counted] = await r.query(
      `select count(*)::int as events, count(distinct payload->>'contactId')::int as contacts from outbox
       where clinic_id = $1 and subject like '%recall-message-due'`,
      [clinicId],
    );
    expect(counted).toEqual({ events: 1234, contacts: 1234 });
  });

  test('after the send time queues for the next day', async () => {
    r.clock.set(new Date('2026-06-02T18:00:00Z'));
    const { campaign } = await absent();
    await r.run();
    expect((await only(campaign.id)).dueAt?.seconds).toBe(BigInt(new Date('2026-06-03T15:00:00Z').getTime() / 1000));
  });

  test('contacts a patient once a day, although two campaigns match', async () => {
    const { campaign, patientId } = await absent();
    r.clock.advance(1000);
    const second = await r.campaign(clinicId, { name: 'Control' });
    await r.run();
    await r.query('delete from recall_runs');
    await r.run();
    expect([(await r.contacts(clinicId, campaign.id)).length, (await r.contacts(clinicId, second.id)).length]).toEqual([1, 0]);
    r.clock.set(new Date(NIGHT.getTime() + 86_400_000));
    await r.run();
    expect((await r.contacts(clinicId, second.id)).map((contact) => contact.patientId)).toEqual([patientId]);
  });

  test('repeats after the retry interval up to max_attempts, and starts again after the next appointment', async () => {
    const { campaign, patientId } = await absent({ maxAttempts: 2, retryIntervalDays: 3 });
    for (let day = 0; day < 12; day++) {
      r.clock.set(new Date(NIGHT.getTime() + day * 86_400_000));
      await r.run();
    }
    const days = async () =>
      (await r.query('select day::text, attempt from recall_contacts where clinic_id = $1 order by day', [clinicId])).map(({ day }) => day);
    expect(await days()).toEqual(['2026-06-02', '2026-06-05']);
    expect(await r.eligible(clinicId, campaign.id)).toEqual([]);
    await r.appointment(clinicId, patientId, -1);
    r.clock.set(new Date(NIGHT.getTime() + 200 * 86_400_000));
    await r.run();
    expect(await days()).toHaveLength(3);
  });

  test.each<[string, string[], string, number]>([
    ['was not confirmed by the provider', ['failed'], 'no_answer', 2],
    ['the phone cannot receive', ['failed'], '131026', 2],
    ['failed after it was sent', ['sent', 'failed'], '130472', 2],
    ['waited for a number that was disconnected', ['failed'], 'disconnected', 3],
    ['has a template that is not approved', ['failed'], '132001', 3],
    ['was too old when the outage of the provider ended', ['failed'], 'expired', 3],
  ])('repeats a message that %s after the retry interval, up to max_attempts unless the clinic is the cause', async (_name, statuses, failure, contacts) => {
    const { campaign } = await absent({ maxAttempts: 2, retryIntervalDays: 3 });
    for (let day = 0; day < 8; day++) {
      r.clock.set(new Date(NIGHT.getTime() + day * 86_400_000));
      await r.run();
      const queued = (await r.contacts(clinicId, campaign.id)).find(({ status }) => status === 'queued');
      for (const status of queued ? statuses : []) await r.message(clinicId, queued?.id ?? '', status, r.clock.now(), failure);
    }
    expect(await r.contacts(clinicId, campaign.id)).toHaveLength(contacts);
  });

  test.each<[string, object, number]>([
    ['is on a plan with dental', {}, 1],
    ['has dental switched off, or not in its plan', { features: ['chat_bot'] }, 0],
    ['has switched all features off', { features: [] }, 0],
    ['is no dental clinic any more', { clinicType: 'medical' }, 0],
    ['is suspended', { isActive: false }, 0],
    ['has run out', { subscriptionExpiresAt: timestampFromDate(new Date(NIGHT.getTime() - 1000)) }, 0],
    ['never runs out', { plan: 'forever_free', subscriptionExpiresAt: timestampFromDate(new Date(NIGHT.getTime() - 1000)) }, 1],
  ])('of a clinic that %s', async (_name, change, queued) => {
    const { campaign } = await absent();
    const clinic = { plan: 'pro', isActive: true, clinicType: 'dental', features: ['chat_bot', 'dental'] };
    await r.deliver(onClinicUpdated, ClinicUpdatedSchema, clinicId, { ...clinic, revision: 3, ...change });
    await r.deliver(onClinicUpdated, ClinicUpdatedSchema, clinicId, { ...clinic, revision: 2 });
    await r.run();
    expect(await r.contacts(clinicId, campaign.id)).toHaveLength(queued);
  });

  test('of clinics that fail does not prevent that of the others', async () => {
    const failing = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003'];
    for (const id of failing) await r.campaign(id);
    const { campaign } = await absent();
    await r.query(`alter table recall_runs add constraint test check (clinic_id not in (${failing.map((id) => `'${id}'`).join()})) not valid`);
    await expect(r.run()).rejects.toThrow('recall contacts of 3 clinics');
    expect(await r.contacts(clinicId, campaign.id)).toHaveLength(1);
    await r.query('alter table recall_runs drop constraint test');
    await r.run();
    expect(await r.contacts(clinicId, campaign.id)).toHaveLength(1);
  });

  test('leaves out an inactive campaign; contacts already queued are still sent', async () => {
    const { campaign } = await absent();
    await r.run();
    await r.recall.deleteRecallCampaign({ id: campaign.id }, r.asUser(clinicId));
    r.clock.set(MORNING);
    expect(await r.release()).toBe(1);
    expect(await r.render((await only(campaign.id)).id)).toMatchObject({ send: true });
    r.clock.set(new Date(NIGHT.getTime() + 30 * 86_400_000));
    await r.run();
    await only(campaign.id);
  });
});

describe('when a message is sent', () => {
  test('the text is rendered with current values', async () => {
    const { campaign } = await absent({ messageTemplate: '{nombre}|{clinica}|{procedimiento}|{ultima_visita}' });
    await r.run();
    const { id } = await only(campaign.id);
    expect(await r.render(id)).toMatchObject({
      send: true,
      clinicId,
      text: 'Rosa|Clínica Sonrisas|consulta|14 de noviembre de 2025',
      variables: ['Rosa', 'Clínica Sonrisas', 'consulta', '14 de noviembre de 2025'],
    });
    await expect(r.render(randomUUID())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(r.recall.renderRecallMessage({ contactId: id }, r.asUser(clinicId))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });

  test('a procedure that the campaign names by its code has the name that the clinic gives it, otherwise that of the catalogue', async () => {
    const { campaign } = await absent({ messageTemplate: '¿Agendamos su {procedimiento}?' });
    await r.run();
    const { id } = await only(campaign.id);
    await r.recall.updateRecallCampaign({ id: campaign.id, procedureType: 'cleaning' }, r.asUser(clinicId));
    expect(await r.render(id)).toMatchObject({ text: '¿Agendamos su limpieza dental?' });
    await r.prices.replacePrices({ prices: [{ code: 'cleaning', name: 'Profilaxis', price: 3_500n }] }, r.asAdmin(clinicId));
    expect(await r.render(id)).toMatchObject({ text: '¿Agendamos su profilaxis?' });
  });

  test('a patient who has booked is not contacted, and it does not count as an attempt', async () => {
    const { campaign, patientId } = await absent();
    await r.run();
    const { id } = await only(campaign.id);
    const booked = await r.appointment(clinicId, patientId, 5);
    const reason = 'visit_booked'; // plain-words: visit stored reason
    expect(await r.render(id)).toMatchObject({ send: false, reason, text: '' });
    expect(await only(campaign.id)).toMatchObject({ status: 'failed', failure: reason });
    await r.appointment(clinicId, patientId, 5, 'cancelled', booked);
    expect((await r.recall.listRecallEligible({ id: campaign.id }, r.asUser(clinicId))).patients).toMatchObject([{ patientId, attempts: 0 }]);
  });

  test('a patient who opted out is not contacted, whether the message is queued or due', async () => {
    const { campaign, patientId } = await absent();
    await r.run();
    await r.updatePatient(clinicId, patientId, { recallOptedOut: true });
    const contact = await only(campaign.id);
    expect(contact.status).toBe('opted_out');
    r.clock.set(MORNING);
    expect(await r.release()).toBe(0);
    expect(await r.render(contact.id)).toMatchObject({ send: false, reason: 'opted_out' });
    expect(await r.eligible(clinicId, campaign.id)).toEqual([]);
  });

  test('a patient who has opted in again is contacted, even if the event of the earlier opt-out arrives last', async () => {
    const { campaign, patientId } = await absent();
    await r.updatePatient(clinicId, patientId, { revision: 1_000_002 });
    await r.run();
    await r.updatePatient(clinicId, patientId, { recallOptedOut: true, revision: 1_000_001 });
    expect((await only(campaign.id)).status).toBe('queued');
  });

  test('a patient whose record was merged is not contacted, and it does not count as an attempt', async () => {
    const { campaign, patientId } = await absent();
    await r.run();
    const { id } = await only(campaign.id);
    Object.assign(r.patients.get(patientId) ?? {}, { isMerged: true, isArchived: true });
    expect(await r.render(id)).toMatchObject({ send: false, reason: 'archived', text: '' });
    expect(await r.query('select status, failure, withdrawn from recall_contacts where id = $1', [id])).toEqual([
      { status: 'failed', failure: 'archived', withdrawn: true },
    ]);
  });
});

describe('events of messaging', () => {
  test('only advance the state of a contact, in any order', async () => {
    const { campaign } = await absent();
    await r.run();
    const { id } = await only(campaign.id);
    r.clock.set(MORNING);
    await r.message(clinicId, id, 'delivered');
    expect(await only(campaign.id)).toMatchObject({ status: 'delivered', sentAt: { seconds: BigInt(MORNING.getTime() / 1000) } });
    await r.message(clinicId, id, 'sent', new Date(MORNING.getTime() - 1000));
    await r.message(clinicId, id, 'failed');
    expect(await only(campaign.id)).toMatchObject({ status: 'delivered', sentAt: { seconds: BigInt(MORNING.getTime() / 1000 - 1) } });
    await r.message(randomUUID(), id, 'read'); // of another clinic
    expect((await only(campaign.id)).status).toBe('delivered');
  });

  test('an answer and the booking after it are counted in whichever order their events arrive', async () => {
    const [one, two] = [await r.patient(clinicId), await r.patient(clinicId)];
    for (const id of [one, two]) await r.appointment(clinicId, id, -200);
    const campaign = await r.campaign(clinicId);
    await r.run();
    r.clock.set(MORNING);
    const sent = await r.contacts(clinicId, campaign.id);
    for (const { id } of sent) await r.message(clinicId, id, 'sent');
    const contactOf = (patientId: string) => sent.find((contact) => contact.patientId === patientId)?.id ?? '';
    const later = v7({ msecs: MORNING.getTime() + 60_000 });
    await r.reply(clinicId, contactOf(one));
    await r.appointment(clinicId, one, 3, 'confirmed', later);
    const earlier = v7({ msecs: MORNING.getTime() + 61_000 });
    await r.appointment(clinicId, two, 3, 'confirmed', earlier);
    await r.reply(clinicId, contactOf(two));
    expect((await r.contacts(clinicId, campaign.id)).map(({ appointmentId }) => appointmentId).sort()).toEqual([later, earlier].sort());
    const stats = () => r.recall.getRecallStats({}, r.asUser(clinicId));
    expect(await stats()).toMatchObject({ sentThisMonth: 2, responded: 2, responseRate: 1, booked: 2, optedOut: 0 });
    await r.updatePatient(clinicId, two, { recallOptedOut: true });
    expect(await stats()).toMatchObject({ optedOut: 1 });
    r.clock.set(new Date('2026-07-01T05:59:59Z')); // still June in UTC-6
    expect(await stats()).toMatchObject({ sentThisMonth: 2 });
    r.clock.set(new Date('2026-07-01T06:00:00Z'));
    expect(await stats()).toMatchObject({ sentThisMonth: 0, responded: 0, responseRate: 0, optedOut: 0 });
  });

  test('each answer is followed by the first booking before the next answer, in whichever order their events arrive', async () => {
    const { campaign, patientId } = await absent({ maxAttempts: 2, retryIntervalDays: 1 });
    await r.run();
    r.clock.set(new Date(NIGHT.getTime() + 86_400_000));
    await r.run();
    const [second = '', first = ''] = (await r.contacts(clinicId, campaign.id)).map(({ id }) => id);
    const minute = (count: number) => new Date(r.clock.now().getTime() + count * 60_000);
    const bookings = [2, 3, 5].map((count) => v7({ msecs: minute(count).getTime() }));
    const book = (id = '') => r.appointment(clinicId, patientId, 3, 'confirmed', id);
    const events = [
      () => r.reply(clinicId, first, false, minute(1)),
      () => r.reply(clinicId, second, false, minute(4)),
      ...bookings.map((id) => () => book(id)),
    ];
    const others = [
      [0, 3, 2, 1, 4],
      [4, 3, 2, 1, 0],
      [0, 1, 4, 3, 2],
      [2, 3, 4, 0, 1],
      [1, 4, 0, 3, 2],
    ]; // prettier-ignore
    for (const order of others) {
      await r.query('update recall_contacts set responded_at = null, appointment_id = null');
      await r.query('delete from recall_visits where appointment_id = any($1)', [bookings]);
      for (const index of order) await events[index]?.();
      const stored = await r.query('select appointment_id from recall_contacts order by attempt');
      expect(stored.map(({ appointment_id }) => appointment_id)).toEqual([bookings[0], bookings[2]]);
    }
  });

  test('an answer of a merged patient is followed by the booking of the remaining one, also if the merge is handled last', async () => {
    const { campaign, patientId: mergedId } = await absent();
    await r.run();
    r.clock.set(MORNING);
    await r.reply(clinicId, (await only(campaign.id)).id);
    const keptId = await r.patient(clinicId);
    const appointmentId = await r.appointment(clinicId, keptId, 3, 'confirmed', v7({ msecs: MORNING.getTime() + 60_000 }));
    await r.deliver(onPatientsMerged(r.app), PatientsMergedSchema, clinicId, { mergeId: v7(), keptId, mergedId });
    expect(await only(campaign.id)).toMatchObject({ patientId: keptId, appointmentId });
  });

  type Handler = 'answer' | 'book' | 'merge' | 'answerOfMerged';
  test.each<[string, Handler[], Handler, Handler, string]>([
    ['an answer and a booking', ['answer'], 'answer', 'book', 'retained'],
    ['a merge and a booking by the remaining patient', ['answer'], 'merge', 'book', 'retained'],
    ['a merge and an answer of the merged patient', ['answer', 'book'], 'merge', 'answerOfMerged', 'merged'],
  ])('%s that are handled at the same time wait for each other', async (_name, before, first, second, expected) => {
    for (const id of [await r.patient(clinicId), await r.patient(clinicId)]) await r.appointment(clinicId, id, -200);
    const campaign = await r.campaign(clinicId);
    await r.run();
    r.clock.set(MORNING);
    const [retained, merged] = (await r.contacts(clinicId, campaign.id)).toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [Contact, Contact];
    await r.query('update recall_contacts set day = day - 1 where id = $1', [merged.id]); // a patient has one contact a day
    const appointmentId = v7({ msecs: MORNING.getTime() + 60_000 });
    const event = { mergeId: v7(), keptId: retained.patientId, mergedId: merged.patientId };
    const handlers: Record<Handler, () => Promise<unknown>> = {
      answer: () => r.reply(clinicId, retained.id),
      answerOfMerged: () => r.reply(clinicId, merged.id, false, new Date(MORNING.getTime() + 30_000)),
      book: () => r.appointment(clinicId, retained.patientId, 3, 'confirmed', appointmentId),
      merge: () => r.deliver(onPatientsMerged(r.app), PatientsMergedSchema, clinicId, event),
    };
    for (const each of before) await handlers[each]();
    await r.query('begin');
    await r.query('select from recall_contacts where clinic_id = $1 for update', [clinicId]);
    const started = [handlers[first]()];
    await waitForLocked(r.service.database.ownerUrl);
    started.push(handlers[second]());
    await waitForLocked(r.service.database.ownerUrl, 2);
    await r.query('rollback');
    await Promise.all(started);
    const booked = (await r.contacts(clinicId, campaign.id)).filter((contact) => contact.appointmentId === appointmentId);
    expect(booked).toMatchObject([{ id: { retained, merged }[expected]?.id, patientId: retained.patientId }]);
  });

  test('a booking before the answer is not counted, and a patient who answered is not contacted again', async () => {
    const { campaign, patientId } = await absent({ maxAttempts: 5, retryIntervalDays: 1 });
    await r.run();
    const { id } = await only(campaign.id);
    const before = await r.appointment(clinicId, patientId, 3, 'confirmed', v7({ msecs: MORNING.getTime() - 60_000 }));
    r.clock.set(MORNING);
    await r.reply(clinicId, id);
    expect((await only(campaign.id)).appointmentId).toBeUndefined();
    await r.appointment(clinicId, patientId, 3, 'cancelled', before);
    r.clock.set(new Date(NIGHT.getTime() + 3 * 86_400_000));
    await r.run();
    expect((await only(campaign.id)).status).toBe('responded');
  });

  test('BAJA opts the patient out', async () => {
    const { campaign } = await absent();
    await r.run();
    const { id } = await only(campaign.id);
    await r.message(clinicId, id, 'read');
    await r.reply(clinicId, id, true);
    expect((await only(campaign.id)).status).toBe('opted_out');
  });
});

test('a rebuild stores the states that scheduling returns', async () => {
  const { campaign, patientId } = await absent();
  const appointment = { appointmentId: v7(), patientId, appointmentDate: '2025-01-10', startsAt: { seconds: 1736520000n }, status: 'completed', revision: 2 };
  r.appointmentStates.appointments.push(appointment);
  r.appointmentStates.clinicIds.push(clinicId);
  await r.query('truncate recall_visits, recall_patients');
  const eligible = async () => (await r.recall.listRecallEligible({ id: campaign.id }, r.asUser(clinicId))).patients;
  expect(await eligible()).toEqual([]);
  await rebuildProjection(r.app);
  await rebuildProjection(r.app);
  expect(await eligible()).toMatchObject([{ patientId, lastVisit: '2025-01-10' }]);
  await r.query('truncate recall_visits, recall_patients');
  await r.recall.rebuildRecallVisits({}, asService('tester'));
  await waitFor(async () => expect(await eligible()).toHaveLength(1));
});

test('events with an older revision change nothing', async () => {
  const { campaign, patientId } = await absent();
  const appointment = await r.appointment(clinicId, patientId, 5);
  await r.query('update recall_visits set revision = 1000000 where appointment_id = $1', [appointment]);
  await r.appointment(clinicId, patientId, 5, 'cancelled', appointment);
  expect(await r.eligible(clinicId, campaign.id)).toEqual([]);
});

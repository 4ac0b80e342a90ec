// Concurrent requests for one slot by every route: a booking, a draft, a reschedule, a cancelled appointment that is confirmed again, an accepted offer
// of the waitlist, and a time that is chosen in the chat. One succeeds, and the others are refused. SLOT_RACE_ROUNDS sets the number of rounds.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { type Answer, apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, book, booking, type Clinic, everyDay, freshPhone, inDays, newClinic } from './clinic.ts';
import { connectNumber, deliver, deliveryOf } from './setup/chat-number.ts';

const ROUNDS = Number(process.env.SLOT_RACE_ROUNDS ?? 20);
const REQUESTS = 64;
/** The number of reschedule requests in a round, each for another appointment, because one appointment could move twice. */
const MOVERS = 16;
/** The number of patients in a round who choose the slot in the chat. */
const CHATTING = 4;
const SLOTS_A_DAY = 47; // half hours until 23:59

const api = apiAt(publicApi());

test(
  `${ROUNDS} rounds of ${REQUESTS} concurrent requests for one slot: one succeeds in each`,
  async () => {
    const clinic = await newClinic(api);
    const doctor = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:59'), consultationDurationMinutes: 30 });
    const parking = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:59'), consultationDurationMinutes: 30 });
    const number = await connectNumber(clinic);
    await expectStatus(200, api.patch('/api/clinics/settings', { bot_enabled: true }, clinic));
    let parked = 0;
    const park = () => book(api, clinic, booking(parking.id, timeOf(parked % SLOTS_A_DAY), inDays(10 + Math.floor(parked++ / SLOTS_A_DAY))));
    const movers: Body[] = await Promise.all(Array.from({ length: MOVERS }, park));
    for (let round = 0; round < ROUNDS; round++) {
      const slot = { doctorId: doctor.id, appointmentDate: inDays(10 + Math.floor(round / SLOTS_A_DAY)), startTime: timeOf(round % SLOTS_A_DAY) };
      const gone = await cancelled(clinic, slot);
      // Every second slot is held for an entry of the waitlist, whose acceptance must succeed.
      const entry = round % 2 ? await offered(clinic, slot) : undefined;
      const { winner, answers } = await race({ ...clinic, number }, slot, movers, gone, entry);
      expect(tally(answers)).toEqual(expect.objectContaining({ won: 1, refused: REQUESTS - 1 }));
      if (entry) expect(winner?.route).toBe('accept');
      expect(await holders(clinic, slot, winner?.route)).toBe(1);
      if (winner?.route === 'move') movers[winner.turn] = await park();
    }
  },
  900_000 + ROUNDS * 10_000,
);

type Slot = { doctorId: string; appointmentDate: string; startTime: string };
type Try = Answer & { route: string; turn: number };

const timeOf = (index: number) => `${String(Math.floor(index / 2)).padStart(2, '0')}:${index % 2 ? '30' : '00'}`;

async function cancelled(clinic: Clinic, slot: Slot): Promise<Body> {
  const appointment = await book(api, clinic, { ...booking(slot.doctorId, slot.startTime, slot.appointmentDate) });
  await api.patch(`/api/appointments/${appointment.id}/status`, { status: 'cancelled' }, clinic);
  return appointment;
}

/** A waitlist entry for which the slot is held. */
async function offered(clinic: Clinic, { doctorId, appointmentDate: date, startTime }: Slot): Promise<Body> {
  const body = { patientName: 'Eva Luna', patientPhone: freshPhone(), doctorId, dateFrom: date, dateTo: date, timeFrom: startTime };
  const { body: entry } = await api.post('/api/waitlist', body, clinic);
  await cancelled(clinic, { doctorId, appointmentDate: date, startTime });
  return entry;
}

async function race(clinic: Clinic & { number: string }, slot: Slot, movers: Body[], gone: Body, entry: Body | undefined) {
  const routes: [string, (index: number) => Promise<Answer>][] = [
    ['book', () => api.post('/api/appointments', { ...slot, patientName: 'Luis Pérez', patientPhone: freshPhone() }, clinic)],
    ['draft', () => api.post('/api/slot-drafts', slot, clinic)],
    ['move', (index) => api.post(`/api/appointments/${movers[index].id}/reschedule`, slot, clinic)],
    ['status', () => api.patch(`/api/appointments/${gone.id}/status`, { status: 'confirmed' }, clinic)],
    ...(entry ? [['accept', () => api.post(`/api/waitlist/${entry.id}/accept`, undefined, clinic)] as [string, () => Promise<Answer>]] : []),
  ];
  // A confirmed appointment stays confirmed, and a user who repeats a request gets the same draft, so only the first of these requests competes.
  const once = new Set<string>();
  const tries = Array.from({ length: REQUESTS }, (_, index): [string, number, () => Promise<Answer>] => {
    let [name, request] = routes[index % routes.length] as (typeof routes)[number];
    const turn = Math.floor(index / routes.length);
    if (['status', 'draft'].includes(name) && once.has(name)) [name, request] = routes[0] as (typeof routes)[number];
    once.add(name);
    return [name, turn, () => request(turn)];
  });
  const chats = Array.from({ length: CHATTING }, (_, turn): [string, number, () => Promise<Answer>] => ['chat', turn, () => choose(clinic, slot)]);
  const all = [...tries.slice(chats.length), ...chats].sort(([, a], [, b]) => a - b);
  const answers: Try[] = await Promise.all(all.map(async ([route, turn, request]) => ({ ...(await request()), route, turn })));
  return { winner: answers.find(({ status }) => status < 300), answers };
}

/** A new patient chooses the slot in the chat. The bot asks for the name, or replies that the slot was taken. */
async function choose(clinic: Clinic & { number: string }, { doctorId, appointmentDate, startTime }: Slot): Promise<Answer> {
  const phone = freshPhone();
  const delivered = await deliver(deliveryOf(clinic.number, phone, { choice: `time|${doctorId}|${appointmentDate}|${startTime}` }));
  if (delivered.status !== 200) return delivered;
  const said = await waitFor(async () => {
    const { body } = await api.get(`/api/conversations/${encodeURIComponent(phone)}/messages`, clinic);
    return (body.messages?.find(({ direction }: Body) => direction === 'out')?.text as string | undefined) ?? false;
  });
  if (/acaba de ocuparse/.test(said)) return { ...delivered, status: 409, body: { code: 'SLOT_TAKEN' } };
  return /nombre/.test(said) ? delivered : { ...delivered, status: 500, body: { code: said } };
}

function tally(answers: Try[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { route, status, body } of answers) {
    const outcome =
      status < 300 ? 'won' : status === 409 && ['SLOT_TAKEN', 'OFFER_NOT_OPEN'].includes(body?.code) ? 'refused' : `${route} ${status} ${body?.code}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** The number of appointments in the slot, plus one when it is held by a draft or for a patient in the chat. */
async function holders(clinic: Clinic, { doctorId, appointmentDate, startTime }: Slot, winner: string | undefined): Promise<number> {
  const { body } = await api.get(`/api/appointments?date=${appointmentDate}&doctor_id=${doctorId}&status=confirmed&limit=500`, clinic);
  return (
    body.appointments.filter((appointment: Body) => appointment.start_time === `${startTime}:00`).length + (['draft', 'chat'].includes(winner ?? '') ? 1 : 0)
  );
}

// One slot, every door to it at once: a booking, a draft, a move, a cancelled visit that comes back, a yes of the waitlist.
// One wins, the others hear that it is taken. SLOT_RACE_ROUNDS=1000 runs it for as long as one likes.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect, test } from '@jest/globals';
import { type Answer, apiAt, type Body } from './api.ts';
import { addDoctor, book, booking, type Clinic, everyDay, freshPhone, inDays, newClinic } from './clinic.ts';

const ROUNDS = Number(process.env.SLOT_RACE_ROUNDS ?? 20);
const RIVALS = 64;
/** As many as try to move in one round: a visit that moves twice would win twice. */
const MOVERS = 16;
const SLOTS_A_DAY = 47; // of half an hour until 23:59

const api = apiAt(publicApi());

test(
  `${ROUNDS} rounds of ${RIVALS} rivals at every door: one winner each`,
  async () => {
    const clinic = await newClinic(api);
    const doctor = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:59'), consultationDurationMinutes: 30 });
    const parking = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:59'), consultationDurationMinutes: 30 });
    let parked = 0;
    const park = () => book(api, clinic, booking(parking.id, timeOf(parked % SLOTS_A_DAY), inDays(10 + Math.floor(parked++ / SLOTS_A_DAY))));
    const movers: Body[] = await Promise.all(Array.from({ length: MOVERS }, park));
    for (let round = 0; round < ROUNDS; round++) {
      const slot = { doctorId: doctor.id, appointmentDate: inDays(10 + Math.floor(round / SLOTS_A_DAY)), startTime: timeOf(round % SLOTS_A_DAY) };
      const gone = await cancelled(clinic, slot);
      // Every second slot is held for somebody of the waitlist, whose yes must win against all other doors.
      const entry = round % 2 ? await offered(clinic, slot) : undefined;
      const { winner, answers } = await race(clinic, slot, movers, gone, entry);
      expect(tally(answers)).toEqual(expect.objectContaining({ won: 1, refused: RIVALS - 1 }));
      if (entry) expect(winner?.door).toBe('accept');
      expect(await holders(clinic, slot, winner?.door)).toBe(1);
      if (winner?.door === 'move') movers[winner.turn] = await park();
    }
  },
  60_000 + ROUNDS * 10_000,
);

type Slot = { doctorId: string; appointmentDate: string; startTime: string };
type Try = Answer & { door: string; turn: number };

const timeOf = (index: number) => `${String(Math.floor(index / 2)).padStart(2, '0')}:${index % 2 ? '30' : '00'}`;

async function cancelled(clinic: Clinic, slot: Slot): Promise<Body> {
  const visit = await book(api, clinic, { ...booking(slot.doctorId, slot.startTime, slot.appointmentDate) });
  await api.patch(`/api/appointments/${visit.id}/status`, { status: 'cancelled' }, clinic);
  return visit;
}

/** An entry of the waitlist that the slot is held for. */
async function offered(clinic: Clinic, { doctorId, appointmentDate: date, startTime }: Slot): Promise<Body> {
  const body = { patientName: 'Eva Luna', patientPhone: freshPhone(), doctorId, dateFrom: date, dateTo: date, timeFrom: startTime };
  const { body: entry } = await api.post('/api/waitlist', body, clinic);
  await cancelled(clinic, { doctorId, appointmentDate: date, startTime });
  return entry;
}

async function race(clinic: Clinic, slot: Slot, movers: Body[], gone: Body, entry: Body | undefined) {
  const doors: [string, (index: number) => Promise<Answer>][] = [
    ['book', () => api.post('/api/appointments', { ...slot, patientName: 'Luis Pérez', patientPhone: freshPhone() }, clinic)],
    ['draft', () => api.post('/api/slot-drafts', slot, clinic)],
    ['move', (index) => api.post(`/api/appointments/${movers[index].id}/reschedule`, slot, clinic)],
    ['status', () => api.patch(`/api/appointments/${gone.id}/status`, { status: 'confirmed' }, clinic)],
    ...(entry ? [['accept', () => api.post(`/api/waitlist/${entry.id}/accept`, undefined, clinic)] as [string, () => Promise<Answer>]] : []),
  ];
  // A visit that is back stays back: only its first return is a rival.
  const once = new Set<string>();
  const tries = Array.from({ length: RIVALS }, (_, index): [string, number, () => Promise<Answer>] => {
    let [name, knock] = doors[index % doors.length] as (typeof doors)[number];
    const turn = Math.floor(index / doors.length);
    if (name === 'status' && once.has(name)) [name, knock] = doors[0] as (typeof doors)[number];
    once.add(name);
    return [name, turn, () => knock(turn)];
  });
  const answers: Try[] = await Promise.all(tries.map(async ([door, turn, knock]) => ({ ...(await knock()), door, turn })));
  return { winner: answers.find(({ status }) => status < 300), answers };
}

function tally(answers: Try[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { door, status, body } of answers) {
    const outcome =
      status < 300 ? 'won' : status === 409 && ['SLOT_TAKEN', 'OFFER_NOT_OPEN'].includes(body?.code) ? 'refused' : `${door} ${status} ${body?.code}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** Visits of the slot, and the draft when that has won. */
async function holders(clinic: Clinic, { doctorId, appointmentDate, startTime }: Slot, winner: string | undefined): Promise<number> {
  const { body } = await api.get(`/api/appointments?date=${appointmentDate}&doctor_id=${doctorId}&status=confirmed&limit=500`, clinic);
  return body.appointments.filter((visit: Body) => visit.start_time === `${startTime}:00`).length + (winner === 'draft' ? 1 : 0);
}

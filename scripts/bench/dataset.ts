// The test data as a function of its size and of the current day: the loader writes it, and the load generator computes doctors, days and free
// slots from it without reading the database.
import { createHash } from 'node:crypto';

export type Size = { clinics: number; appointments: number /** YYYY-MM-DD */; today: string };

export type Dataset = Size & {
  /** YYYY-MM-DD of every working day (Monday to Saturday), from 180 days ago to 180 days ahead. */
  days: string[];
  /** Index in `days` of the first day after today. */
  firstFuture: number;
  /** Appointments of one clinic. */
  each: number;
};

/** A place in a clinic's calendar that one appointment can take. */
export type Cell = { date: string; past: boolean; doctor: number; startTime: string; endTime: string; startsAt: string; endsAt: string };

export const ZONE = 'America/El_Salvador'; // UTC−6 all year
const UTC_OFFSET_HOURS = 6;
const REACH_DAYS = 180;
const DAY_MS = 24 * 3_600_000;
export const PATIENTS = 20;

/** Half hours from 8 to 17 with a break at noon. */
export const HOURS = { opens: '08:00', closes: '17:00', breakStarts: '12:00', breakEnds: '13:00', minutes: 30 };
const STARTS = ['08', '09', '10', '11', '13', '14', '15', '16'].flatMap((hour) => [`${hour}:00`, `${hour}:30`]);

export function describe(size: Size): Dataset {
  const midnight = Date.parse(`${size.today}T00:00:00Z`);
  const days: string[] = [];
  for (let offset = -REACH_DAYS; offset <= REACH_DAYS; offset++) {
    const day = new Date(midnight + offset * DAY_MS);
    if (day.getUTCDay() !== 0) days.push(day.toISOString().slice(0, 10));
  }
  return { ...size, days, firstFuture: days.findIndex((day) => day > size.today), each: Math.round(size.appointments / size.clinics) };
}

/** A UUID derived from the name, in the format of a random one. */
export function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const clinicId = (clinic: number) => idOf(`clinic ${clinic}`);
export const userId = (clinic: number) => idOf(`user ${clinic}`);
export const sessionId = (clinic: number) => idOf(`session ${clinic}`);
export const doctorId = (clinic: number, doctor: number) => idOf(`doctor ${clinic} ${doctor}`);
export const patientId = (clinic: number, patient: number) => idOf(`patient ${clinic} ${patient}`);
export const patientName = (patient: number) => `${FIRST[patient % FIRST.length]} ${LAST[Math.floor(patient / 2) % LAST.length]}`;
export const patientPhone = (clinic: number, patient: number) => `+503${70_000_000 + clinic * PATIENTS + patient}`;

const FIRST = ['María', 'José', 'Karla', 'Luis', 'Gabriela', 'Óscar', 'Patricia', 'Héctor', 'Silvia', 'Ricardo'];
const LAST = ['Alvarenga', 'Beltrán', 'Cruz', 'Durán', 'Escobar', 'Flores', 'Guardado', 'Landaverde', 'Martínez', 'Nochez'];

export const doctorsOf = (clinic: number) => 2 + (clinic % 2);
const cellsADay = (clinic: number) => doctorsOf(clinic) * STARTS.length;
const cellsOf = (data: Dataset, clinic: number) => data.days.length * cellsADay(clinic);

/** The cell of the n-th appointment of a clinic. Time is divided into stretches of equal length with one appointment each, so none overlap. */
export function cellOfAppointment(data: Dataset, clinic: number, n: number): number {
  const stretch = cellsOf(data, clinic) / data.each;
  const first = Math.floor(n * stretch);
  const length = Math.floor((n + 1) * stretch) - first;
  return first + ((((clinic * 31 + n) * 2_654_435_761) % 4_294_967_296) % length);
}

export function cellAt(data: Dataset, clinic: number, cell: number): Cell {
  const day = Math.floor(cell / cellsADay(clinic));
  const date = data.days[day] ?? '';
  const startTime = STARTS[cell % STARTS.length] ?? '';
  const starts = Date.parse(`${date}T${startTime}:00Z`) + UTC_OFFSET_HOURS * 3_600_000;
  const ends = starts + HOURS.minutes * 60_000;
  return {
    date,
    past: day < data.firstFuture,
    doctor: Math.floor(cell / STARTS.length) % doctorsOf(clinic),
    startTime,
    endTime: new Date(ends - UTC_OFFSET_HOURS * 3_600_000).toISOString().slice(11, 16),
    startsAt: new Date(starts).toISOString(),
    endsAt: new Date(ends).toISOString(),
  };
}

const PACE = 7_919; // a prime, so that its multiples reach every cell before they repeat

/** The n-th candidate for a free slot in the future of a clinic, a different one for each n; undefined if an appointment was loaded there. Throws when none is left. */
export function freeCell(data: Dataset, clinic: number, n: number): Cell | undefined {
  const from = data.firstFuture * cellsADay(clinic);
  const many = cellsOf(data, clinic) - from;
  if (n >= many) throw new Error('no free slot is left to book: load more clinics or shorten the measurement');
  const cell = from + ((n * PACE) % many);
  const stretch = cellsOf(data, clinic) / data.each;
  const near = Math.floor(cell / stretch);
  for (const appointment of [near - 1, near, near + 1]) if (cellOfAppointment(data, clinic, appointment) === cell) return undefined;
  return cellAt(data, clinic, cell);
}

// Writes the summary of a day from its figures alone, and lists its alerts.
import { counted } from '@clinic/lib/formats/counted.ts';
import { formatClockTime, formatLongDay } from '@clinic/lib/formats/day-text.ts';
import { formatCents, toCents } from '@clinic/lib/formats/money.ts';

/** The figures of a day. None contains a name, so that a model may read all of them. */
export type Facts = {
  date: string;
  today: string;
  appointments: { total: number; confirmed: number; pending: number; completed: number; no_show: number; cancelled: number };
  doctors_working: number;
  /** HH:MM:SS. */
  first_start: string | null;
  last_end: string | null;
  gaps: { count: number; minutes: number };
  /** Null, like the fields below, if the clinic does not have the feature or the service was unavailable. */
  waitlist: { total: number; suits_day: number } | null;
  chats_waiting: number;
  /** ISO 4217; of `overdue`. */
  currency: string;
  overdue: { plans: number; amount: number } | null;
  recalls_due: number | null;
  yesterday: { total: number; completed: number; no_show: number; cancelled: number; unmarked: number };
};

type Alert = { code: string; message: string; href?: string | undefined };

const listOf = (parts: string[]) => (parts.length > 1 ? `${parts.slice(0, -1).join(', ')} y ${parts.at(-1)}` : (parts[0] ?? ''));

/** A few sentences in Spanish. */
export function writeSummary(facts: Facts): string {
  const sentences = [appointmentsOf(facts), ...statusesOf(facts), gapsOf(facts), ...waitingOf(facts), ...dentalOf(facts), yesterdayOf(facts)];
  return sentences.filter(Boolean).join(' ');
}

/** Sentences that do not apply are false, null or 0. */
type Sentences = (string | false | null | 0)[];

function appointmentsOf({ date, today, appointments, doctors_working, first_start, last_end }: Facts): string {
  const day = date === today ? `Hoy, ${formatLongDay(date, 'es')},` : `El ${formatLongDay(date, 'es')}`;
  if (appointments.total === 0) return `${day} no hay citas.`;
  const doctors = doctors_working > 0 ? ` con ${counted(doctors_working, 'doctor', 'doctores')}` : '';
  const span = first_start && last_end ? ` (de ${formatClockTime(first_start, 'es')} a ${formatClockTime(last_end, 'es')})` : '';
  return `${day} hay ${counted(appointments.total, 'cita', 'citas')}${doctors}${span}.`;
}

function statusesOf({ appointments: { pending, completed, no_show, cancelled } }: Facts): Sentences {
  const statuses = [
    completed > 0 && counted(completed, 'ya atendida', 'ya atendidas'),
    no_show > 0 && counted(no_show, 'paciente no llegó', 'pacientes no llegaron'),
    cancelled > 0 && counted(cancelled, 'cancelada', 'canceladas'),
  ].filter((part) => part !== false);
  return [pending > 0 && `Sin confirmar: ${pending}.`, statuses.length > 0 && `Del día: ${listOf(statuses)}.`];
}

function gapsOf({ gaps }: Facts): string {
  if (gaps.count === 0) return '';
  const [hours, minutes] = [Math.floor(gaps.minutes / 60), gaps.minutes % 60];
  const time = listOf([hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : ''].filter(Boolean));
  const isOne = time === '1 h' || time === '1 min';
  return `${isOne ? 'Queda' : 'Quedan'} ${time} ${isOne ? 'libre' : 'libres'} en ${counted(gaps.count, 'hueco', 'huecos')}.`;
}

function waitingOf({ waitlist, chats_waiting }: Facts): Sentences {
  const suited = waitlist?.suits_day === 0 ? 'no le sirve a ninguna' : `${waitlist?.suits_day === 1 ? 'le' : 'les'} sirve a ${waitlist?.suits_day}`;
  return [
    waitlist && waitlist.total > 0 && `Hay ${counted(waitlist.total, 'persona', 'personas')} en lista de espera; este día ${suited}.`,
    chats_waiting > 0 && `${counted(chats_waiting, 'chat espera', 'chats esperan')} la respuesta de una persona.`,
  ];
}

function dentalOf({ overdue, recalls_due, currency }: Facts): Sentences {
  return [
    overdue &&
      overdue.plans > 0 &&
      `Hay ${counted(overdue.plans, 'plan de pago vencido', 'planes de pago vencidos')} por ${formatCents(toCents(overdue.amount), currency)} en total.`,
    recalls_due && `${counted(recalls_due, 'paciente debería', 'pacientes deberían')} volver a control.`,
  ];
}

function yesterdayOf({ yesterday: { total, completed, no_show, cancelled, unmarked } }: Facts): string {
  if (total === 0 && cancelled === 0) return 'El día anterior no hubo citas.';
  const parts = [
    counted(completed, 'atendida', 'atendidas'),
    no_show > 0 && counted(no_show, 'ausencia', 'ausencias'),
    cancelled > 0 && counted(cancelled, 'cancelada', 'canceladas'),
    unmarked > 0 && `${unmarked} sin marcar`,
  ].filter((part) => part !== false);
  return `El día anterior hubo ${counted(total, 'cita', 'citas')}: ${listOf(parts)}.`;
}

const FIGURE = /\d+(?:[.,]\d+)*/g;

/** Whether each figure in a model's text is one of the day's figures or part of its date. */
export function hasOnlyKnownFigures(facts: Facts, text: string): boolean {
  const known = new Set<string>();
  for (const found of `${JSON.stringify(facts)} ${writeSummary(facts)}`.matchAll(FIGURE)) {
    const value = Number(plainFigure(found[0]));
    for (const form of [value, Math.round(value), value / 60, Math.floor(value / 60), value % 60, Number(value.toFixed(2))]) known.add(String(form));
    if (value >= 13 && value <= 23) known.add(String(value - 12));
  }
  return [...text.matchAll(FIGURE)].every(([figure]) => known.has(String(Number(plainFigure(figure)))));
}

/** Converts `1,234.50` and `1.234,50` to `1234.50`. */
function plainFigure(figure: string): string {
  const end = /[.,](\d{1,2})$/.exec(figure);
  const whole = (end ? figure.slice(0, end.index) : figure).replaceAll(/[.,]/g, '');
  return end ? `${whole}.${end[1]}` : whole;
}

type Circumstances = {
  appointmentsOnVacation: number;
  channelFailed: boolean;
  /** Days until the subscription ends, rounded up; null when it does not end. */
  daysLeft: number | null;
  /** Sections that could not be loaded. */
  unavailable: string[];
};

const UNAVAILABLE: Record<string, string> = {
  waitlist: 'no se pudo leer la lista de espera',
  overdue_payments: 'no se pudieron leer los pagos vencidos',
  recalls_due: 'no se pudieron leer las citas de control',
};
const SOON_DAYS = 7;

/** The most urgent first. Messages are in Spanish. */
export function listAlerts(facts: Facts, { appointmentsOnVacation, channelFailed, daysLeft, unavailable }: Circumstances): Alert[] {
  const alerts: Alert[] = [];
  const add = (code: string, message: string, href?: string) => void alerts.push({ code, message, href });
  if (appointmentsOnVacation > 0) {
    const message = `${counted(appointmentsOnVacation, 'cita es', 'citas son')} con un doctor que está de vacaciones.`;
    add('visits_on_vacation', message, `/api/agenda?date=${facts.date}`); // plain-words: visits is public
  }
  if (channelFailed) add('channel_failed', 'El canal de chat no funciona: los pacientes no reciben mensajes.', '/api/chat/status');
  if (daysLeft !== null && daysLeft <= SOON_DAYS) add('subscription_ends', `La suscripción vence en ${counted(daysLeft, 'día', 'días')}.`, '/api/entitlements');
  const { unmarked } = facts.yesterday;
  if (unmarked > 0) {
    const message = `${counted(unmarked, 'cita del día anterior está', 'citas del día anterior están')} sin marcar como atendida o ausente.`;
    add('unmarked_visits', message); // plain-words: visits is public
  }
  const suited = facts.waitlist?.suits_day ?? 0;
  if (facts.gaps.count > 0 && suited > 0) {
    const people = `${suited === 1 ? 'le' : 'les'} sirve a ${counted(suited, 'persona', 'personas')}`;
    add('waitlist_fits', `Hay huecos, y este día ${people} de la lista de espera.`, '/api/waitlist?status=waiting');
  }
  for (const [section, failure] of Object.entries(UNAVAILABLE)) if (unavailable.includes(section)) add('not_read', `Por el momento ${failure}.`);
  return alerts;
}

// The day in words, from its figures alone: what a person reads when there is no model, and what nobody may overlook.
import { clock, longDay } from '@clinic/lib/formats/local-days.ts';

/** The figures of a day. There are no names in it. */
export type Facts = {
  date: string;
  today: string;
  visits: { total: number; confirmed: number; pending: number; completed: number; no_show: number; cancelled: number };
  doctors_working: number;
  first_start: string | null;
  last_end: string | null;
  gaps: { count: number; minutes: number };
  /** Null wherever the clinic does not have it, or it could not be read. */
  waitlist: { total: number; suits_day: number } | null;
  chats_waiting: number;
  overdue: { plans: number; amount: number } | null;
  recalls_due: number | null;
  yesterday: { total: number; completed: number; no_show: number; cancelled: number; unmarked: number };
};

export type Alert = { code: string; message: string; href: string | null };

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
const list = (parts: string[]) => (parts.length > 1 ? `${parts.slice(0, -1).join(', ')} y ${parts.at(-1)}` : (parts[0] ?? ''));
export const money = (amount: number) => `$${amount.toFixed(2)}`;

/** A few sentences in Spanish. */
export function summaryOf(facts: Facts): string {
  return [dayOf(facts), openOf(facts), gapsOf(facts), waitingOf(facts), moneyOf(facts), yesterdayOf(facts)].filter(Boolean).join(' ');
}

function dayOf({ date, today, visits, doctors_working, first_start, last_end }: Facts): string {
  const day = `${date === today ? 'Hoy, ' : 'El '}${longDay(date, 'es')}`;
  if (visits.total === 0) return `${day}${date === today ? ',' : ''} no hay citas.`;
  const doctors = doctors_working > 0 ? ` con ${count(doctors_working, 'doctor', 'doctores')}` : '';
  const span = first_start && last_end ? ` (${clock(first_start, 'es')} a ${clock(last_end, 'es')})` : '';
  return `${day}${date === today ? ',' : ''} hay ${count(visits.total, 'cita', 'citas')}${doctors}${span}.`;
}

function openOf({ visits }: Facts): string {
  const done = [
    visits.completed > 0 && count(visits.completed, 'ya atendida', 'ya atendidas'),
    visits.no_show > 0 && count(visits.no_show, 'paciente no llegó', 'pacientes no llegaron'),
    visits.cancelled > 0 && count(visits.cancelled, 'cancelada', 'canceladas'),
  ].filter((part) => part !== false);
  const pending = visits.pending > 0 ? `Sin confirmar: ${visits.pending}.` : '';
  return [pending, done.length > 0 ? `Del día: ${list(done)}.` : ''].filter(Boolean).join(' ');
}

function gapsOf({ gaps }: Facts): string {
  if (gaps.count === 0) return '';
  const [hours, minutes] = [Math.floor(gaps.minutes / 60), gaps.minutes % 60];
  const time = list([hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : ''].filter(Boolean));
  return `Quedan ${time} libres en ${count(gaps.count, 'hueco', 'huecos')}.`;
}

function waitingOf({ waitlist, chats_waiting }: Facts): string {
  const parts = [
    waitlist && waitlist.total > 0 && `${count(waitlist.total, 'persona', 'personas')} en lista de espera (este día le sirve a ${waitlist.suits_day})`,
    chats_waiting > 0 && `${count(chats_waiting, 'chat espera', 'chats esperan')} respuesta de una persona`,
  ].filter((part) => typeof part === 'string');
  return parts.length > 0 ? `Hay ${list(parts)}.` : '';
}

function moneyOf({ overdue, recalls_due }: Facts): string {
  const debts =
    overdue && overdue.plans > 0 ? `${count(overdue.plans, 'plan de pago vencido', 'planes de pago vencidos')} por ${money(overdue.amount)} en total.` : '';
  const recalls = recalls_due ? `${count(recalls_due, 'paciente debería', 'pacientes deberían')} volver a control.` : '';
  return [debts, recalls].filter(Boolean).join(' ');
}

function yesterdayOf({ yesterday }: Facts): string {
  const { total, completed, no_show, cancelled, unmarked } = yesterday;
  if (total === 0 && cancelled === 0) return 'El día anterior no hubo citas.';
  const parts = [
    `${count(completed, 'atendida', 'atendidas')}`,
    no_show > 0 ? count(no_show, 'ausencia', 'ausencias') : '',
    cancelled > 0 ? count(cancelled, 'cancelada', 'canceladas') : '',
    unmarked > 0 ? `${unmarked} sin marcar` : '',
  ].filter(Boolean);
  return `El día anterior: ${count(total, 'cita', 'citas')}, ${list(parts)}.`;
}

/** Whether a text says no other figures than these, so that a model cannot make any up. Its day, month and year are figures too. */
export function staysWith(facts: Facts, text: string): boolean {
  const known = new Set<string>();
  for (const found of `${JSON.stringify(facts)} ${summaryOf(facts)}`.matchAll(/\d+(?:\.\d+)?/g)) {
    const value = Number(found[0]);
    for (const form of [value, Math.round(value), value / 60, Math.floor(value / 60), value % 60, Number(value.toFixed(2))]) known.add(String(form));
    if (value >= 13 && value <= 23) known.add(String(value - 12));
  }
  return [...text.matchAll(/\d+(?:[.,]\d+)*/g)].every(([figure]) => known.has(String(Number(plainFigure(figure)))));
}

/** `1,234.50` and `1.234,50` as 1234.50. */
function plainFigure(figure: string): string {
  const end = /[.,](\d{1,2})$/.exec(figure);
  const whole = (end ? figure.slice(0, end.index) : figure).replaceAll(/[.,]/g, '');
  return end ? `${whole}.${end[1]}` : whole;
}

export type Watched = {
  visitsOnVacation: number;
  channelFailed: boolean;
  /** Days until the subscription ends, rounded up; null when it does not. */
  daysLeft: number | null;
  notRead: string[];
};

const NAMES: Record<string, string> = {
  waitlist: 'la lista de espera',
  overdue_payments: 'los pagos vencidos',
  recalls_due: 'las citas de control',
};
const SOON_DAYS = 7;

/** What somebody should look at, the most urgent first. */
export function alertsOf(facts: Facts, { visitsOnVacation, channelFailed, daysLeft, notRead }: Watched): Alert[] {
  const alerts: Alert[] = [];
  const tell = (code: string, message: string, href: string | null = null) => void alerts.push({ code, message, href });
  const day = `/api/agenda?date=${facts.date}`;
  if (visitsOnVacation > 0) tell('visits_on_vacation', `${count(visitsOnVacation, 'cita es', 'citas son')} con un doctor que está de vacaciones.`, day);
  if (channelFailed) tell('channel_failed', 'El canal de chat no funciona: los pacientes no reciben mensajes.', '/api/chat/status');
  if (daysLeft !== null && daysLeft <= SOON_DAYS) {
    tell('subscription_ends', `La suscripción vence en ${count(daysLeft, 'día', 'días')}.`, '/api/entitlements');
  }
  const { unmarked } = facts.yesterday;
  if (unmarked > 0) tell('unmarked_visits', `${count(unmarked, 'cita', 'citas')} del día anterior sin marcar como atendida o ausente.`);
  if (facts.gaps.count > 0 && (facts.waitlist?.suits_day ?? 0) > 0) {
    const waiting = facts.waitlist?.suits_day ?? 0;
    tell('waitlist_fits', `Hay huecos, y este día le sirve a ${count(waiting, 'persona', 'personas')} de la lista de espera.`, '/api/waitlist?status=waiting');
  }
  for (const section of Object.keys(NAMES).filter((name) => notRead.includes(name))) tell('not_read', `Por el momento no se pudo leer ${NAMES[section]}.`);
  return alerts;
}

// The cells of past appointments and balances.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseCents } from '@clinic/lib/formats/money.ts';
import { foldWords } from '@clinic/lib/formats/search-name.ts';

const TIME = /^(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*(?:([ap])\.?\s*m\.?)?$/i;

/** `14:30`, `14:30:00` or `2:30 PM` as HH:MM. */
export function clockTimeOf(text: string): string {
  const [, hours = '', minutes = '', half] = TIME.exec(text) ?? invalid('time', 'must be HH:MM');
  const isAfternoon = half?.toLowerCase() === 'p';
  const hour = half ? (Number(hours) % 12) + (isAfternoon ? 12 : 0) : Number(hours);
  if (hour > 23 || Number(minutes) > 59 || (half && (hours === '0' || Number(hours) > 12))) invalid('time', 'must be HH:MM');
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}

/** The date and the time of a cell that may have both, `2024-03-05T14:30:00` or `05/03/2024 2:30 PM`; '' without a time. */
export function splitDateTime(text: string): { date: string; time: string } {
  const [, date = '', time = ''] = /^(\S+?)(?:[T\s]+(\d{1,2}:.*))?$/.exec(text) ?? [];
  return { date: date || text, time: time.replace(/Z$/, '') };
}

const STATUSES = {
  completed: 'completed complete completa completada completado realizada realizado atendida atendido finalizada finalizado hecha asistio 2',
  no_show: 'no_show noshow broken missed no_asistio no_se_presento ausente falto inasistencia 5',
  cancelled: 'cancelled canceled cancelada cancelado anulada anulado',
};
const statusByWord = new Map(
  Object.entries(STATUSES).flatMap(([status, words]) => words.split(' ').map((word) => [word, status as keyof typeof STATUSES] as const)),
);

/** The status for the usual words and for the numbers of Open Dental; an appointment without one took place. */
export function statusOf(text: string): keyof typeof STATUSES {
  if (text === '') return 'completed';
  return statusByWord.get(foldWords(text).join('_')) ?? invalid('status', 'must be completed, no_show or cancelled');
}

/** Cents of `1,234.50`, `1.234,50`, `1 234.50`, `US$85` or `85,5 USD`. Throws for more than two decimals and for credits. */
export function centsOf(text: string): bigint {
  const bare = text
    .replaceAll(/[\s'’]/g, '')
    .replace(/^[A-Z]{0,3}\p{Sc}?/u, '')
    .replace(/\p{Sc}?(?:[A-Z]{3})?$/u, '');
  const amount = /^(\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:\.\d{3})+)(?:[.,](\d{1,2}))?$/.exec(bare);
  const [number = '', whole = '', decimals = ''] = amount ?? [];
  const marks = new Set(number.slice(whole.length)[0] ?? '').intersection(new Set(whole)); // thousands and decimals have different marks
  if (!amount || marks.size > 0) invalid('balance', 'must be a positive amount, like 85.50');
  return parseCents('balance', BigInt(whole.replaceAll(/\D/g, '')) * 100n + BigInt(decimals.padEnd(2, '0')));
}

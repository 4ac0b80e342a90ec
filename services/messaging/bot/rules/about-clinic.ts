// Answers about the clinic itself: its address, phone, opening hours and doctors.
import { formatClockTime, formatWeekday, type Language } from '@clinic/lib/formats/day-text.ts';
import { LIMITS, truncate } from '../../outbound/outgoing-content-rules.ts';
import type { ClinicQuestion } from './clinic-questions.ts';
import { type ClinicFacts, type Context, request, type Turn } from './session.ts';

/** Undefined if the clinic has not entered it. */
export function* aboutClinic(c: Context, asked: ClinicQuestion): Turn<string | undefined> {
  if (asked === 'doctors') {
    const names = (yield* request('doctors', {})).map(({ name, specialty }) => (specialty ? `${name}, ${specialty}` : name));
    return names.length === 0 ? undefined : truncate(c.say('clinic_doctors', { doctores: names.join('\n') }), LIMITS.body);
  }
  const { address, phone, hours } = yield* request('clinic', {});
  switch (asked) {
    case 'address':
      return address === null ? undefined : c.say('clinic_address', { direccion: address });
    case 'phone':
      return phone === null ? undefined : c.say('clinic_phone', { telefono: phone });
    case 'hours':
      return hours.length === 0 ? undefined : c.say('clinic_hours', { horario: formatHours(hours, c.session.language) });
  }
}

/** One line for each run of weekdays with the same hours. */
export function formatHours(hours: ClinicFacts['hours'], language: Language): string {
  const runs: { first: number; last: number; from: string; to: string }[] = [];
  for (const { weekday, from, to } of hours) {
    const run = runs.at(-1);
    if (run && run.last === weekday - 1 && run.from === from && run.to === to) run.last = weekday;
    else runs.push({ first: weekday, last: weekday, from, to });
  }
  const name = (weekday: number) => formatWeekday(weekday, language);
  return runs
    .map(({ first, last, from, to }) => {
      const days = first === last ? name(first) : `${name(first)} ${language === 'es' ? 'a' : 'to'} ${name(last)}`;
      return `${days}: ${formatClockTime(from, language)} – ${formatClockTime(to, language)}`;
    })
    .join('\n');
}

// The day as a mail tells it, in Spanish and plain text.

type Visit = { startTime: string; endTime: string; status: string; patient: string };
type Span = { startTime: string; endTime: string };
export type AgendaDay = { doctors: { fullName: string; onVacation: boolean; visits: Visit[]; gaps: Span[] }[] };

const MARKS: Record<string, string> = { pending: ' (sin confirmar)', completed: ' (atendida)', no_show: ' (no llegó)' };

/** One block a doctor: visits by hour, then what is free. */
export function agendaText({ doctors }: AgendaDay): string {
  if (doctors.length === 0) return 'No hay doctores activos.';
  return doctors.map(blockOf).join('\n\n');
}

function blockOf({ fullName, onVacation, visits, gaps }: AgendaDay['doctors'][number]): string {
  const lines = visits.map(({ startTime, endTime, status, patient }) => `${short(startTime)}–${short(endTime)}  ${patient}${MARKS[status] ?? ''}`);
  if (lines.length === 0) lines.push(onVacation ? 'De vacaciones.' : 'Sin citas.');
  else if (onVacation) lines.push('Atención: está de vacaciones.');
  if (gaps.length > 0) lines.push(`Libre: ${gaps.map((gap) => `${short(gap.startTime)}–${short(gap.endTime)}`).join(', ')}`);
  return [oneLine(fullName), ...lines.map((line) => `  ${oneLine(line)}`)].join('\n');
}

const short = (time: string) => time.slice(0, 5);
/** A name is one line, whatever was typed. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');

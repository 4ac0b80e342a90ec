// The text of the agenda mail, in Spanish.
import { toSingleLine } from '@clinic/lib/formats/person-name.ts';

type Appointment = { startTime: string; endTime: string; status: string; patient: string };
type Span = { startTime: string; endTime: string };
type AgendaDay = { doctors: { fullName: string; onVacation: boolean; appointments: Appointment[]; gaps: Span[] }[] };

const MARKS: Record<string, string> = { pending: ' (sin confirmar)', completed: ' (atendida)', no_show: ' (no llegó)' };

/** One block per doctor: appointments by time, then free intervals. */
export function agendaText({ doctors }: AgendaDay): string {
  if (doctors.length === 0) return 'No hay doctores activos.';
  return doctors.map(blockOf).join('\n\n');
}

function blockOf({ fullName, onVacation, appointments, gaps }: AgendaDay['doctors'][number]): string {
  const lines = appointments.map(({ startTime, endTime, status, patient }) => `${short(startTime)}–${short(endTime)}  ${patient}${MARKS[status] ?? ''}`);
  if (lines.length === 0) lines.push(onVacation ? 'De vacaciones.' : 'Sin citas.');
  else if (onVacation) lines.push('Atención: está de vacaciones.');
  if (gaps.length > 0) lines.push(`Libre: ${gaps.map((gap) => `${short(gap.startTime)}–${short(gap.endTime)}`).join(', ')}`);
  return [toSingleLine(fullName), ...lines.map((line) => `  ${toSingleLine(line)}`)].join('\n');
}

const short = (time: string) => time.slice(0, 5);

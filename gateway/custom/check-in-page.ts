// The check-in page that patients see on their phone: one button and no script.
import { formatClockTime } from '@clinic/lib/formats/day-text.ts';
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import type { CheckInView } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { type PublicPage, publicPage } from './public-page.ts';

type View = Pick<CheckInView, 'status' | 'firstName' | 'startTime' | 'clinicName' | 'missingForms'>;
type Text = { state: 'open' | 'done' | 'closed'; mark: string; title: string; lines: string[]; time?: string; action?: string; clinic?: string; note?: string };

/** `token` becomes part of the URL to which the form is sent. During maintenance and while the clinic is read-only, `isPaused`, no arrival can be recorded. */
export function checkInPage(view: View, token: string, { isPaused = false } = {}): PublicPage {
  const isToday = view.status === 'ready' || view.status === 'done';
  return toPage({
    ...textOf(isPaused && view.status === 'ready' ? { ...view, status: 'paused' } : view, token),
    clinic: view.clinicName,
    note: isToday ? noteOn(view.missingForms) : '',
  });
}

function noteOn(missingForms: number): string {
  if (missingForms === 0) return '';
  const what = missingForms === 1 ? 'un formulario' : `${missingForms} formularios`;
  const [ask, open] = missingForms === 1 ? ['pídalo', 'ábralo'] : ['pídalos', 'ábralos'];
  return `Le falta firmar ${what}: ${ask} en recepción, o ${open} con el enlace si lo recibió.`;
}

export const unknownPage = () =>
  toPage({ state: 'closed', mark: '?', title: 'Este código no es válido', lines: ['Vuelva a escanearlo o pregunte en recepción.'] });

export const rateLimitedPage = () =>
  toPage({
    state: 'closed',
    mark: '…',
    title: 'Un momento, por favor',
    lines: ['Esta página recibe demasiadas solicitudes en este momento. Inténtelo de nuevo en unos minutos o avise en recepción.'],
  });

export const errorPage = () =>
  toPage({ state: 'closed', mark: '!', title: 'No pudimos registrar su llegada', lines: ['Por favor, avise en recepción que ya llegó.'] });

function textOf({ status, firstName, startTime }: View, token: string): Text {
  const title = `Hola, ${firstName}`;
  const time = formatClockTime(startTime, 'es');
  const at = time.startsWith('1:') ? 'a la' : 'a las';
  switch (status) {
    case 'ready':
      return { state: 'open', mark: [...firstName][0] ?? '', title, lines: [`Su cita de hoy es ${at}`], time, action: `/api/check-in/${token}` };
    case 'paused':
      return {
        state: 'closed',
        mark: '!',
        title,
        lines: [`Por ahora esta página no puede registrar su llegada: avise en recepción, por favor. Su cita de hoy es ${at}`],
        time,
      };
    case 'done':
      return {
        state: 'done',
        mark: '✓',
        title: `¡Listo, ${firstName}!`,
        lines: [`En recepción ya saben que llegó. Tome asiento, por favor. Su cita es ${at}`],
        time,
      };
    case 'wrong_day':
      return { state: 'closed', mark: '!', title, lines: ['Su cita no es hoy.', `Abra este código el día de su cita, que es ${at}`], time };
    case 'cancelled':
      return { state: 'closed', mark: '✕', title, lines: ['Esta cita fue cancelada.', 'Si desea otra, pregunte en recepción.'] };
    default:
      return { state: 'closed', mark: '✓', title, lines: ['Esta cita ya pasó.', 'Si necesita algo más, pregunte en recepción.'] };
  }
}

function toPage({ state, mark, title, lines, time, action, clinic, note }: Text): PublicPage {
  const content = `${clinic ? `<p class="clinic">${escapeXml(clinic)}</p>\n` : ''}<div class="mark" aria-hidden="true">${escapeXml(mark)}</div>
<h1>${escapeXml(title)}</h1>
${lines.map((line) => `<p>${escapeXml(line)}</p>`).join('\n')}
${time ? `<p class="time">${escapeXml(time)}</p>` : ''}
${action ? `<form method="post" action="${escapeXml(action)}"><button>Ya llegué</button></form>` : ''}
${note ? `<p class="note">${escapeXml(note)}</p>` : ''}`;
  return publicPage(clinic ? `Llegada a ${escapeXml(clinic)}` : 'Llegada a la clínica', content, { className: `check-in ${state}` });
}

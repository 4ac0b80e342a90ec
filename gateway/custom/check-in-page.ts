// The check-in page as patients see it on the phone: Spanish, one thing to do, no script.
import { createHash } from 'node:crypto';
import type { CheckInView } from '@clinic/proto/scheduling/v1/check_in_pb.js';

const STYLE = `
:root { color-scheme: light }
* { box-sizing: border-box; margin: 0 }
body { min-height: 100vh; display: flex; align-items: center; justify-content: center; padding: 24px; background: #eef4f6; color: #17313b;
  font: 18px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: 100%; max-width: 420px; padding: 40px 28px; border-radius: 20px; background: #fff; text-align: center; box-shadow: 0 8px 30px #17313b1f }
.mark { width: 72px; height: 72px; margin: 0 auto 20px; border-radius: 50%; background: #e3eef1; color: #0b6477; font-size: 36px; line-height: 72px }
.done .mark { background: #dcf3e4; color: #136c37 }
.shut .mark { background: #fbeedd; color: #8a4b0a }
h1 { font-size: 28px; line-height: 1.2; margin-bottom: 12px; overflow-wrap: anywhere }
p + p { margin-top: 8px }
.hour { margin-top: 20px; font-size: 34px; font-weight: 700; color: #0b6477 }
button { width: 100%; margin-top: 28px; padding: 18px; border: 0; border-radius: 14px; background: #0b6477; color: #fff; font: inherit; font-size: 20px;
  font-weight: 600; cursor: pointer }
button:focus-visible { outline: 3px solid #f2a541; outline-offset: 3px }
`;

/** The page may show its own style and send its own form, and nothing else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

type Text = { look: 'open' | 'done' | 'shut'; mark: string; title: string; lines: string[]; hour?: string; action?: string };

/** `token` becomes part of the form's address. */
export function checkInPage(view: Pick<CheckInView, 'status' | 'firstName' | 'startTime'>, token: string): string {
  return page(textOf(view, token));
}

export const unknownPage = () => page({ look: 'shut', mark: '?', title: 'Este código no es válido', lines: ['Vuelva a escanearlo o pregunte en recepción.'] });

export const busyPage = () =>
  page({
    look: 'shut',
    mark: '…',
    title: 'Un momento, por favor',
    lines: ['Ahora mismo hay demasiadas visitas a esta página. Inténtelo de nuevo en unos minutos o avise en recepción.'],
  });

export const brokenPage = () => page({ look: 'shut', mark: '!', title: 'No pudimos atenderle aquí', lines: ['Por favor, avise en recepción que ya llegó.'] });

function textOf({ status, firstName, startTime }: Pick<CheckInView, 'status' | 'firstName' | 'startTime'>, token: string): Text {
  const hello = `Hola, ${firstName}`;
  const hour = clock(startTime);
  switch (status) {
    case 'ready':
      return { look: 'open', mark: [...firstName][0] ?? '', title: hello, lines: ['Su cita de hoy es a las'], hour, action: `/api/check-in/${token}` };
    case 'done':
      return {
        look: 'done',
        mark: '✓',
        title: `¡Listo, ${firstName}!`,
        lines: ['En recepción ya saben que llegó. Tome asiento, por favor. Su cita es a las'],
        hour,
      };
    case 'wrong_day':
      return { look: 'shut', mark: '!', title: hello, lines: ['Su cita no es hoy.', 'Abra este código el día de su cita, que es a las'], hour };
    case 'cancelled':
      return { look: 'shut', mark: '✕', title: hello, lines: ['Esta cita fue cancelada.', 'Si desea otra, pregunte en recepción.'] };
    default:
      return { look: 'shut', mark: '✓', title: hello, lines: ['Esta cita ya terminó.', 'Si necesita algo más, pregunte en recepción.'] };
  }
}

function page({ look, mark, title, lines, hour, action }: Text): string {
  return `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Llegada a la clínica</title>
<style>${STYLE}</style>
</head>
<body>
<main class="${look}">
<div class="mark" aria-hidden="true">${safe(mark)}</div>
<h1>${safe(title)}</h1>
${lines.map((line) => `<p>${safe(line)}</p>`).join('\n')}
${hour ? `<p class="hour">${safe(hour)}</p>` : ''}
${action ? `<form method="post" action="${safe(action)}"><button>Ya llegué</button></form>` : ''}
</main>
</body>
</html>
`;
}

/** 09:30 → 9:30 a. m. */
function clock(time: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return `${hours % 12 || 12}:${String(minutes).padStart(2, '0')} ${hours < 12 ? 'a. m.' : 'p. m.'}`;
}

const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const safe = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');

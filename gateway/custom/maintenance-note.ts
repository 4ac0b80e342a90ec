// What pages show about maintenance: the operator's message and the planned end.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { DEFAULT_ZONE, dateIn } from '@clinic/lib/formats/local-date.ts';
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import type { Maintenance } from '@clinic/proto/identity/v1/operations_pb.js';
import { DateTime } from 'luxon';
import { whenOf } from './choices.ts';

const END = { es: 'Fin previsto', en: 'Planned end' };

/** Empty when the operator has given neither a message nor an end. `zone` is that of the clinic, if the page knows it. */
export function maintenanceNote({ message, until }: Maintenance, lang: Language, zone = DEFAULT_ZONE): string {
  const end = until && timestampDate(until);
  const when = end && whenOf(dateIn(zone, end), DateTime.fromJSDate(end, { zone }).toFormat('HH:mm'), lang);
  const lines = [message, when && `${END[lang]}: ${when}`].filter((line): line is string => Boolean(line));
  return lines.length > 0 ? `<p class="note">${lines.map(escapeXml).join('<br>')}</p>\n` : '';
}

// The page of an appointment: its time, its confirmation by the patient, and the steps that move or cancel it, without a script.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import type { OperatingState } from '@clinic/proto/identity/v1/access_pb.js';
import type { ManagedAppointment } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import type { BookableDay, BookableSlot } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import { listDays, listTimes, whenOf } from './choices.ts';
import { maintenanceNote } from './maintenance-note.ts';
import { MANAGE_TEXTS } from './manage-texts.ts';
import { linkLine, noticePage, type PublicPage, phoneLine, publicPage } from './public-page.ts';

type Context = { appointment: ManagedAppointment; maintenance: OperatingState['maintenance']; token: string; lang: Language };

/** Whether the appointment is shown but cannot be changed. */
export const isPaused = ({ appointment, maintenance }: Pick<Context, 'appointment' | 'maintenance'>): boolean =>
  appointment.readOnly || maintenance !== undefined;

export const linkTo = (token: string, step: Record<string, string> = {}) =>
  `/manage/${token}${Object.keys(step).length > 0 ? `?${new URLSearchParams(step)}` : ''}`;

export const isOpen = ({ status }: ManagedAppointment): boolean => status === 'open' || status === 'pending';

/** Whether the appointment is confirmed by the clinic and still to come. */
export const isConfirmed = ({ status }: ManagedAppointment): boolean => status === 'open' || status === 'inside_notice';

const NOTICES = ['pending', 'inside_notice', 'pending_inside_notice'] as const;

export function appointmentPage(context: Context, { isMoved = false } = {}): PublicPage {
  const { appointment, maintenance, token, lang } = context;
  const texts = MANAGE_TEXTS[lang];
  const { status, clinicPhone, bookingSlug, cancellationText, embeddingOrigins: ancestors } = appointment;
  const button = (href: string, text: string, className = 'button') => `<p><a class="${className}" href="${escapeXml(href)}">${text}</a></p>`;
  const before = `<p class="clinic">${escapeXml(appointment.clinicName)}</p>\n`;
  const again = bookingSlug ? button(`/book/${bookingSlug}`, texts.again) : '';
  if (status === 'over' || status === 'cancelled') {
    const after = `${status === 'cancelled' ? summaryOf(appointment, lang) : ''}${phoneLine(clinicPhone)}${again}`;
    return noticePage(texts[status], lang, { mark: status === 'over' ? '✓' : '✕', state: 'closed', before, after, ancestors });
  }
  const where = [appointment.clinicAddress, appointment.clinicCity].filter(Boolean).join(', ');
  const after = [
    isMoved ? `<p class="note" role="status">${texts.moved}</p>` : '',
    summaryOf(appointment, lang),
    isPaused(context) ? `<p class="note">${texts.pausedNote}</p>` : '',
    maintenance ? maintenanceNote(maintenance, lang, appointment.timezone) : '',
    isConfirmed(appointment) ? attendanceOf(context) : '',
    where ? `<p>${escapeXml(where)}</p>` : '',
    phoneLine(clinicPhone),
    cancellationText ? `<p class="note">${escapeXml(cancellationText)}</p>` : '',
    isConfirmed(appointment) ? button(`/manage/${token}/calendar.ics`, texts.calendar) : '',
    isOpen(appointment) && !isPaused(context) ? button(linkTo(token, { step: 'move' }), texts.move, 'button second') : '',
    isOpen(appointment) && !isPaused(context) ? button(linkTo(token, { step: 'cancel' }), texts.cancel, 'button second') : '',
  ];
  const notice = NOTICES.find((one) => one === status) ?? 'open';
  const [title, line] = texts[notice];
  return noticePage([isConfirmed(appointment) && appointment.patientConfirmed ? texts.confirmed : title, line], lang, {
    mark: '✓',
    state: 'done',
    before,
    after: after.filter(Boolean).join('\n'),
    ancestors,
  });
}

/** The patient's confirmation, or the button that confirms. */
function attendanceOf(context: Context): string {
  const { willCome, doConfirm } = MANAGE_TEXTS[context.lang];
  const { patientConfirmed, date, startTime: time } = context.appointment;
  if (patientConfirmed) return `<p class="note" role="status">${willCome}</p>`;
  return isPaused(context) ? '' : formOf(context, { action: 'confirm', date, time }, doConfirm);
}

/** `current` is the current month. */
export function daysPage(context: Context, month: string, current: string, days: BookableDay[]): PublicPage {
  const { token, lang } = context;
  const list = listDays(lang, month, current, days, (chosen) => linkTo(token, { step: 'move', ...chosen }));
  return stepPage(context, MANAGE_TEXTS[lang].day, list);
}

export function timesPage(context: Context, date: string, slots: BookableSlot[], taken = false): PublicPage {
  const { token, lang } = context;
  const texts = MANAGE_TEXTS[lang];
  const list = listTimes(lang, date, slots, (time) => linkTo(token, { step: 'move', date, time }));
  const back = linkLine(linkTo(token, { step: 'move', month: date.slice(0, 7) }), texts.otherDay);
  return stepPage(context, texts.time, `${taken ? `<p class="fault" role="alert">${texts.taken}</p>\n` : ''}${list}${back}`);
}

export function confirmMovePage(context: Context, date: string, time: string): PublicPage {
  const texts = MANAGE_TEXTS[context.lang];
  const { date: oldDate, startTime } = context.appointment;
  const content = `${detailsOf(context.appointment)}
<p>${texts.now}: ${whenOf(oldDate, startTime, context.lang)}</p>
<p>${texts.moveTo}:</p>
<p class="time">${whenOf(date, time, context.lang)}</p>
`;
  return stepPage(context, texts.confirmMove, content + formOf(context, { action: 'move', date, time }, texts.doMove));
}

export function confirmCancelPage(context: Context): PublicPage {
  const texts = MANAGE_TEXTS[context.lang];
  return stepPage(context, texts.confirmCancel, summaryOf(context.appointment, context.lang) + formOf(context, { action: 'cancel' }, texts.doCancel));
}

const summaryOf = (appointment: ManagedAppointment, lang: Language) =>
  `<p class="time">${whenOf(appointment.date, appointment.startTime, lang)}</p>\n${detailsOf(appointment)}`;

/** The type and the doctor. */
const detailsOf = ({ typeName, doctorName }: ManagedAppointment) =>
  [typeName, doctorName]
    .filter((line): line is string => Boolean(line))
    .map((line) => `<p>${escapeXml(line)}</p>`)
    .join('\n');

function formOf({ token }: Context, fields: Record<string, string>, label: string): string {
  const hidden = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeXml(value)}">`);
  return `<form method="post" action="/manage/${token}">${hidden.join('')}<button>${label}</button></form>`;
}

function stepPage({ appointment, token, lang }: Context, question: string, content: string): PublicPage {
  const texts = MANAGE_TEXTS[lang];
  const html = `<p class="clinic">${escapeXml(appointment.clinicName)}</p>
<h1>${question}</h1>
${content}
${linkLine(linkTo(token), texts.back)}`;
  return publicPage(`${question} · ${texts.title}`, html, { className: 'booking', lang, ancestors: appointment.embeddingOrigins });
}

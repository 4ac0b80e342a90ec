// The booking page, step by step: links for each choice, then a form, so that it works without a script.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import type { BegunBooking, BookableClinic, BookableDay, BookableSlot, BookableType } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import { BOOKING_TEXTS } from './booking-texts.ts';
import { choice, listDays, listOf, listTimes, whenOf } from './choices.ts';
import { type Ending, linkLine, noticePage, type PublicPage, phoneLine, publicPage } from './public-page.ts';

/**
 * The choices in the URL of a step. `doctor` is `any` for whoever is free first. `key` is the idempotency key of the booking. `replaces` is the id of
 * a booking with wrong details.
 */
export type Chosen = Partial<Record<'type' | 'doctor' | 'month' | 'date' | 'time' | 'key' | 'replaces', string>>;
export const ANY_DOCTOR = 'any';
export const DETAILS = ['name', 'phone', 'email', 'notes'] as const;
export type Details = Record<(typeof DETAILS)[number], string>;

type Context = { clinic: BookableClinic; lang: Language };

export const linkTo = (slug: string, chosen: Chosen) =>
  `/book/${slug}${Object.keys(chosen).length > 0 ? `?${new URLSearchParams(Object.entries(chosen).filter(([, value]) => value))}` : ''}`;

export function typesPage(context: Context, { replaces = '' }: Chosen): PublicPage {
  const { clinic, lang } = context;
  const texts = BOOKING_TEXTS[lang];
  const choices = clinic.types.map(({ id, name, durationMinutes }) =>
    choice(linkTo(clinic.slug, { type: id, replaces }), name, texts.minutes(durationMinutes)),
  );
  return choices.length > 0 ? stepPage(context, texts.type, listOf(choices)) : endPage(context, texts.noTypes, phoneLine(clinic.phone));
}

export function doctorsPage(context: Context, chosen: Chosen, type: BookableType): PublicPage {
  const { replaces = '' } = chosen;
  const { clinic, lang } = context;
  const texts = BOOKING_TEXTS[lang];
  const link = (doctor: string) => linkTo(clinic.slug, { ...chosen, doctor });
  const doctors = clinic.doctors.filter(({ id }) => type.doctorIds.includes(id));
  const choices = doctors.map(({ id, fullName, specialty }) => choice(link(id), fullName, specialty ?? ''));
  return stepPage(context, texts.doctor, listOf([choice(link(ANY_DOCTOR), texts.anyDoctor), ...choices]), backFrom(clinic, { replaces }));
}

/** `current` is the current month. */
export function daysPage(context: Context, chosen: Chosen, current: string, days: BookableDay[]): PublicPage {
  const { clinic, lang } = context;
  const { type = '', doctor = '', month = '', replaces = '' } = chosen;
  const content = listDays(lang, month, current, days, (one) => linkTo(clinic.slug, { type, doctor, ...one, replaces }));
  return stepPage(context, BOOKING_TEXTS[lang].day, content, backFrom(clinic, { type, replaces }));
}

export function timesPage(context: Context, chosen: Chosen, slots: BookableSlot[], key: string, taken = false): PublicPage {
  const { clinic, lang } = context;
  const texts = BOOKING_TEXTS[lang];
  const { type = '', doctor = '', date = '', replaces = '' } = chosen;
  const content = listTimes(lang, date, slots, (time) => linkTo(clinic.slug, { type, doctor, date, time, key, replaces }));
  return stepPage(context, texts.time, content, { back: { type, doctor, month: date.slice(0, 7), replaces }, fault: taken ? texts.taken : '' });
}

/** `faults` are the fields that were refused. The browser does not validate, since it would report one field at a time. */
export function detailsPage(context: Context, chosen: Chosen, type: BookableType, details: Details, faults: string[] = []): PublicPage {
  const { clinic, lang } = context;
  const texts = BOOKING_TEXTS[lang];
  const { date = '', time = '', doctor } = chosen;
  const first = DETAILS.find((name) => faults.includes(name));
  const field = (name: keyof Details, attributes: string) => {
    const fault = faults.includes(name) ? texts.faults[name] : '';
    const described = [fault && `fault-${name}`, name === 'phone' && 'help-phone'].filter(Boolean).join(' ');
    const optional = name === 'email' || name === 'notes' ? ` <span class="optional">${texts.optional}</span>` : '';
    const invalid = fault && ` aria-invalid="true"${name === first ? ' autofocus' : ''}`;
    const common = `id="${name}" name="${name}"${described && ` aria-describedby="${described}"`}${invalid} ${attributes}`;
    const value = escapeXml(details[name]);
    return `<div class="field"><label for="${name}">${texts[name]}${optional}</label>
${fault && `<p class="fault" id="fault-${name}">${fault}</p>`}${name === 'phone' ? `<p class="help" id="help-phone">${texts.codeHelp}</p>` : ''}
${name === 'notes' ? `<textarea rows="2" ${common}>${value}</textarea>` : `<input value="${value}" ${common}>`}</div>`;
  };
  const hidden = Object.entries(chosen).map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeXml(value ?? '')}">`);
  const who = clinic.doctors.find(({ id }) => id === doctor)?.fullName;
  const content = `<p>${[type.name, who, whenOf(date, time, lang)]
    .filter((text) => text !== undefined)
    .map(escapeXml)
    .join('<br>')}</p>
${policyOf(type)}<form method="post" action="/book/${escapeXml(clinic.slug)}" novalidate>
${hidden.join('')}
${field('name', 'autocomplete="name" maxlength="200" required')}
${field('phone', 'type="tel" autocomplete="tel" maxlength="30" required')}
${field('email', 'type="email" autocomplete="email" maxlength="254"')}
${field('notes', 'maxlength="500"')}
<button>${texts.send}</button>
</form>`;
  const { time: _time, key: _key, ...back } = chosen;
  return stepPage(context, texts.details, content, { back, fault: faults.length > 0 ? texts.invalid : '' });
}

/** The page of a booking that awaits its code, or that is closed because no valid code was entered. */
export function bookingPage(context: Context, booking: BegunBooking, { isWrong = false } = {}): PublicPage {
  const { clinic, lang } = context;
  const texts = BOOKING_TEXTS[lang];
  const { bookingId, status, channel, sentTo = '', typeId: type, doctorId: doctor, date, startTime: time } = booking;
  const path = linkTo(clinic.slug, {});
  if (status !== 'code_sent') return endPage(context, texts.closed, linkLine(path, texts.again));
  const invalid = isWrong ? ' aria-describedby="fault" aria-invalid="true" autofocus' : '';
  const content = `<p>${whenOf(date, time, lang)}</p>
<p>${texts.sent[channel === 'mail' ? 'mail' : 'chat'](escapeXml(sentTo))} ${texts.held}</p>
<form method="post" action="${escapeXml(`${path}/${bookingId}`)}">
<label for="code">${texts.codeLabel}</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required${invalid}>
<button>${texts.confirm}</button>
</form>
<p class="help">${texts.notReceived}</p>
${linkLine(linkTo(clinic.slug, { type, doctor, date, time, key: bookingId, replaces: bookingId }), texts.correct)}`;
  return stepPage(context, texts.code, content, { fault: isWrong ? texts.wrongCode : '' });
}

export const deskPage = (context: Context) => endPage(context, BOOKING_TEXTS[context.lang].desk, phoneLine(context.clinic.phone));

const policyOf = ({ cancellationText }: BookableType) => (cancellationText ? `<p class="note">${escapeXml(cancellationText)}</p>\n` : '');

const clinicName = ({ clinic }: Context) => `<p class="clinic">${escapeXml(clinic.name)}</p>\n`;

const endPage = (context: Context, text: Ending, after: string) =>
  noticePage(text, context.lang, { mark: '!', state: 'closed', after, before: clinicName(context), ancestors: context.clinic.embeddingOrigins });

/** `back` are the choices of the previous step. */
function stepPage(context: Context, question: string, content: string, { back, fault = '' }: { back?: Chosen; fault?: string } = {}): PublicPage {
  const { clinic, lang } = context;
  const texts = BOOKING_TEXTS[lang];
  const html = `${clinicName(context)}<h1>${question}</h1>
${fault && `<p class="fault" id="fault" role="alert">${fault}</p>`}
${content}
${back ? linkLine(linkTo(clinic.slug, back), texts.back) : ''}`;
  const title = `${fault ? `${texts.invalid} ` : ''}${question} · ${texts.title} · ${escapeXml(clinic.name)}`;
  return publicPage(title, html, { className: 'booking', lang, ancestors: clinic.embeddingOrigins });
}

/** Back to the choice of the doctor, or else of the type; empty when the patient had no choice in either. */
function backFrom({ types }: BookableClinic, { type = '', replaces = '' }: Chosen): { back?: Chosen } {
  if (types.some(({ id, doctorIds }) => id === type && doctorIds.length > 1)) return { back: { type, replaces } };
  return types.length > 1 ? { back: { replaces } } : {};
}

// The booking page of a clinic: GET /book/:slug and its form, and the page of a booking with the form of its code. It ends at the page of the
// appointment (manage.ts).
import { randomUUID } from 'node:crypto';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { isHourMinute } from '@clinic/lib/formats/clock-time.ts';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { dateIn, isLocalDate } from '@clinic/lib/formats/local-date.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { type BookableClinic, PublicBookingService } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import { parseCookie, stringifySetCookie } from 'cookie';
import express, { type Request, type Response, type Router } from 'express';
import { toHostCookie } from '../http/cookies.ts';
import type { RateGroup } from '../http/route.ts';
import { call } from '../http/rpc.ts';
import { refuseMethod } from '../http/send.ts';
import { ANY_DOCTOR, bookingPage, type Chosen, DETAILS, daysPage, deskPage, detailsPage, doctorsPage, linkTo, timesPage, typesPage } from './booking-page.ts';
import { BOOKING_TEXTS } from './booking-texts.ts';
import { findDays } from './choices.ts';
import { fieldsOf, form, redirect, refuseBody } from './form-body.ts';
import { endingPage, languageOf, type PageOptions, pageHandler, rememberClinic } from './page-handler.ts';
import { sendPage } from './public-page.ts';

const PAGE = '/book/:slug';
const BOOKING = '/book/:slug/:id';
const rpc = PublicBookingService.method;

type Opened = { clinic: BookableClinic; lang: Language; caller: Caller; request: Request; response: Response };

const errorPage = endingPage(BOOKING_TEXTS);

export function bookingRoutes({ transports, operating, clock, ...options }: PageOptions): Router {
  const scheduling = transports('scheduling');

  /** Wraps `work` in the handler of a page and gives it the clinic of the page. */
  const onPage = (rate: RateGroup) => (path: string, work: (opened: Opened) => Promise<void>) =>
    pageHandler({ ...options, operating, rate }, path, errorPage, async (_token, caller, response, request) => {
      const clinic = await call(scheduling, rpc.getBookableClinic, { slug: param(request, 'slug').toLowerCase() }, caller);
      rememberClinic(response, clinic);
      await work({ clinic, lang: languageOf(request), caller, request, response });
    });
  const [onView, onSent] = [onPage('booking_view'), onPage('booking')];

  const getBooking = ({ clinic, caller, request }: Opened) => call(scheduling, rpc.getBooking, { slug: clinic.slug, id: idOf(request) }, caller);

  async function showTimes(opened: Opened, chosen: Chosen, taken = false) {
    const { clinic, caller, response } = opened;
    const wanted = { slug: clinic.slug, typeId: chosen.type ?? '', date: chosen.date ?? '', ...doctorOf(chosen) };
    const { slots } = await call(scheduling, rpc.listBookableSlots, wanted, caller);
    sendPage(response, taken ? 409 : 200, timesPage(opened, chosen, slots, randomUUID(), taken));
  }

  async function showDays(opened: Opened, chosen: Chosen) {
    const { clinic, caller, response } = opened;
    const current = dateIn(clinic.timezone, clock.now()).slice(0, 7);
    const wanted = { slug: clinic.slug, typeId: chosen.type ?? '', ...doctorOf(chosen) };
    const listed = (month: string) => call(scheduling, rpc.listBookableDays, { ...wanted, month }, caller);
    const { month, days } = await findDays(chosen.month ?? '', current, listed);
    sendPage(response, 200, daysPage(opened, { ...chosen, month }, current, days));
  }

  /** When the slot of a booking was lost before its code was entered. Another time replaces the booking. */
  async function offerOtherTimes(opened: Opened) {
    const { bookingId: replaces, typeId: type, doctorId: doctor, date } = await getBooking(opened);
    const chosen = parseChosen(opened.clinic, new URLSearchParams({ type, doctor, date, replaces }));
    if (chosen.doctor) await showTimes(opened, chosen, true);
    else redirect(opened.response, linkTo(opened.clinic.slug, chosen));
  }

  const show = onView(PAGE, async (opened) => {
    operating.checkChange(); // or else the patient would fill in everything in vain
    const { clinic, request, response } = opened;
    const chosen = parseChosen(clinic, new URL(request.url, 'http://localhost').searchParams);
    const type = clinic.types.find(({ id }) => id === chosen.type);
    if (!type) return sendPage(response, 200, typesPage(opened, chosen));
    if (!chosen.doctor) return sendPage(response, 200, doctorsPage(opened, chosen, type));
    if (!chosen.date) return showDays(opened, chosen);
    if (!chosen.time) return showTimes(opened, chosen);
    sendPage(response, 200, detailsPage(opened, { key: randomUUID(), ...chosen }, type, { name: '', phone: '', email: '', notes: '' }));
  });

  const begin = onSent(PAGE, async (opened) => {
    operating.checkChange();
    const { clinic, caller, request, response } = opened;
    const fields = fieldsOf(request);
    const chosen = parseChosen(clinic, fields);
    const type = clinic.types.find(({ id }) => id === chosen.type);
    const { date, time, key, replaces } = chosen;
    if (!type || !chosen.doctor || !date || !time || !key) return redirect(response, linkTo(clinic.slug, chosen));
    const [name = '', phone = '', email = '', notes = ''] = DETAILS.map((field) => fields.get(field) ?? '');
    const details = { name, phone, email, notes };
    const wanted = { slug: clinic.slug, typeId: type.id, date, startTime: time, ...doctorOf(chosen) };
    const patient = { name, phone, email: email || undefined, notes: notes || undefined };
    const book = (idempotencyKey: string, replaced = replaces) =>
      call(scheduling, rpc.beginBooking, { ...wanted, ...patient, replaces: replaced }, caller, { idempotencyKey });
    try {
      const { keys, bookingId } = await bookCorrected(request, key, book);
      response.setHeader(
        'Set-Cookie',
        keys.map((one) => toCookie(one, bookingId)),
      );
      redirect(response, `/book/${clinic.slug}/${bookingId}`);
    } catch (thrown) {
      const { reason, details: faults = [] } = toServiceError(thrown, {});
      const refused = faults.map(({ path }) => path).filter((path) => Object.hasOwn(details, path));
      if (reason === 'VALIDATION_ERROR' && refused.length > 0) sendPage(response, 400, detailsPage(opened, chosen, type, details, refused));
      else if (reason === 'SLOT_TAKEN' || reason === 'SLOT_UNAVAILABLE' || reason === 'IDEMPOTENCY_KEY_REUSED') await showTimes(opened, chosen, true);
      else if (reason === 'BOOKING_AT_DESK') sendPage(response, 409, deskPage(opened));
      else throw thrown;
    }
  });

  const showBooking = onView(BOOKING, async (opened) => {
    const booking = await getBooking(opened);
    if (booking.manageUrl) return redirect(opened.response, new URL(booking.manageUrl).pathname);
    operating.checkChange();
    sendPage(opened.response, 200, bookingPage(opened, booking));
  });

  const confirm = onSent(BOOKING, async (opened) => {
    operating.checkChange();
    const { clinic, caller, request, response } = opened;
    const id = idOf(request);
    try {
      await call(scheduling, rpc.confirmBooking, { slug: clinic.slug, id, code: codeOf(fieldsOf(request)) }, caller);
      redirect(response, `/book/${clinic.slug}/${id}`);
    } catch (thrown) {
      const { reason } = toServiceError(thrown, {});
      if (reason === 'BOOKING_CLOSED') redirect(response, `/book/${clinic.slug}/${id}`);
      else if (reason === 'SLOT_TAKEN' || reason === 'SLOT_UNAVAILABLE') await offerOtherTimes(opened);
      else if (reason === 'INVALID_OTP') sendPage(response, 400, bookingPage(opened, await getBooking(opened), { isWrong: true }));
      else if (reason === 'BOOKING_AT_DESK') sendPage(response, 409, deskPage(opened));
      else throw thrown;
    }
  });

  const router = express.Router({ caseSensitive: true });
  router
    .get(PAGE, show)
    .post(PAGE, form, begin)
    .all(PAGE, refuseMethod(PAGE, ['GET', 'POST'], options.log));
  router
    .get(BOOKING, showBooking)
    .post(BOOKING, form, confirm)
    .all(BOOKING, refuseMethod(BOOKING, ['GET', 'POST'], options.log));
  router.use(refuseBody(errorPage));
  return router;
}

// A patient may go back in the browser to the details of a booking and correct them. So that they replace the booking, whose hold would refuse them,
// the browser remembers its id by the key of the form. The id is the key of the form that corrects it. The page may be in a frame on the website of the
// clinic, where browsers neither store nor send cookies of other kinds.
const COOKIE = { path: '/', maxAge: 600, httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const;
/** Maximum number of corrections to follow, since a client can send cookies that name each other. */
const MAX_CORRECTIONS = 5;
const cookieName = (key: string) => `booking-${key}`;

const toCookie = (key: string, bookingId: string) => stringifySetCookie(toHostCookie({ ...COOKIE, name: cookieName(key), value: bookingId }));

/** Begins a booking, which replaces the newest that this browser has begun with the same form. Returns its id and the keys that were used. */
async function bookCorrected(request: Request, key: string, book: (key: string, replaced?: string) => Promise<{ bookingId: string }>) {
  const keys = [key];
  for (let replaced: string | undefined; ; ) {
    const [last = key] = keys.slice(-1);
    const mayFollow = keys.length <= MAX_CORRECTIONS;
    try {
      const { bookingId } = await book(last, replaced);
      // The same details as at first, after a correction.
      const isReplaced = begunWith(request, bookingId) !== undefined;
      if (!isReplaced || !mayFollow) return { keys, bookingId };
      replaced = bookingId;
    } catch (thrown) {
      replaced = begunWith(request, last);
      if (!replaced || !mayFollow || toServiceError(thrown, {}).reason !== 'IDEMPOTENCY_KEY_REUSED') throw thrown;
    }
    keys.push(replaced);
  }
}

/** The id of the booking that this browser has begun with the key. */
function begunWith(request: Request, key: string): string | undefined {
  const cookies = parseCookie(request.headers.cookie ?? '');
  const id = cookies[toHostCookie({ name: cookieName(key), value: '' }).name] ?? cookies[cookieName(key)]; // see acceptHostCookies()
  return id && isUuid(id) ? id : undefined;
}

/** The code without the spaces and dashes with which people write it. */
const codeOf = (fields: URLSearchParams) => (fields.get('code') ?? '').replaceAll(/[\s\p{Pd}]/gu, '');

const param = ({ params }: Request, name: string) => (typeof params[name] === 'string' ? params[name] : '');

const idOf = (request: Request) => param(request, 'id').toLowerCase();

const doctorOf = ({ doctor }: Chosen) => (doctor === undefined || doctor === ANY_DOCTOR ? {} : { doctorId: doctor });

/** The valid choices of a query or form. A single type or doctor counts as chosen. */
function parseChosen({ types }: BookableClinic, fields: URLSearchParams): Chosen {
  const [doctor, month, date, time, key, booking] = ['doctor', 'month', 'date', 'time', 'key', 'replaces'].map((name) => fields.get(name) ?? '');
  const replaces = booking && isUuid(booking) ? { replaces: booking.toLowerCase() } : {};
  const type = types.find(({ id }) => id === fields.get('type')) ?? (types.length === 1 ? types[0] : undefined);
  if (!type) return replaces;
  const [only, ...others] = type.doctorIds;
  const who = others.length === 0 ? only : doctor === ANY_DOCTOR || type.doctorIds.includes(doctor ?? '') ? doctor : undefined;
  return {
    type: type.id,
    ...(who && { doctor: who }),
    ...(month && { month }),
    ...(date && isLocalDate(date) && { date }),
    ...(time && isHourMinute(time) && { time }),
    ...(key && /^[\w-]{1,100}$/.test(key) && { key }),
    ...replaces,
  };
}

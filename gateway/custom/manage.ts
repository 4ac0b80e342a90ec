// The page of an appointment, which its manage link opens: GET /manage/:token, its forms and its calendar file. Nothing changes before a form is
// sent, since mail scanners open links.
import { hash } from 'node:crypto';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { newCalendar, toCalendarFile } from '@clinic/lib/formats/calendar-file.ts';
import { isHourMinute } from '@clinic/lib/formats/clock-time.ts';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { dateIn, isLocalDate, spanIn } from '@clinic/lib/formats/local-date.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { OperatingState } from '@clinic/proto/identity/v1/access_pb.js';
import { type ManagedAppointment, ManageLinkService } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import express, { type Request, type Response, type Router } from 'express';
import type { RateGroup } from '../http/route.ts';
import { call } from '../http/rpc.ts';
import { refuseMethod } from '../http/send.ts';
import { findDays } from './choices.ts';
import { fieldsOf, form, redirect, refuseBody } from './form-body.ts';
import { appointmentPage, confirmCancelPage, confirmMovePage, daysPage, isConfirmed, isOpen, isPaused, linkTo, timesPage } from './manage-page.ts';
import { MANAGE_TEXTS } from './manage-texts.ts';
import { endingPage, languageOf, type PageOptions, pageHandler, rememberClinic } from './page-handler.ts';
import { sendPage } from './public-page.ts';

const PAGE = '/manage/:token';
const CALENDAR = '/manage/:token/calendar.ics';
const rpc = ManageLinkService.method;

type Opened = {
  appointment: ManagedAppointment;
  maintenance: OperatingState['maintenance'];
  token: string;
  lang: Language;
  caller: Caller;
  request: Request;
  response: Response;
};

const errorPage = endingPage(MANAGE_TEXTS);

export function manageRoutes({ transports, operating, clock, ...options }: PageOptions): Router {
  const scheduling = transports('scheduling');

  const onPage = (rate: RateGroup) => (path: string, work: (opened: Opened) => Promise<void>) =>
    pageHandler({ ...options, operating, rate }, path, errorPage, async (token, caller, response, request) => {
      const appointment = await call(scheduling, rpc.getManagedAppointment, { token }, caller);
      const { clinicPhone: phone, timezone, embeddingOrigins } = appointment;
      rememberClinic(response, { phone, timezone, embeddingOrigins });
      await work({ appointment, maintenance: operating.maintenance(), token, lang: languageOf(request), caller, request, response });
    });
  const [onView, onSent] = [onPage('booking_view'), onPage('booking')];

  async function showTimes(opened: Opened, date: string, taken = false) {
    const { slots } = await call(scheduling, rpc.listManagedSlots, { token: opened.token, date }, opened.caller);
    sendPage(opened.response, taken ? 409 : 200, timesPage(opened, date, slots, taken));
  }

  const show = onView(PAGE, async (opened) => {
    const { appointment, token, caller, request, response } = opened;
    const query = new URL(request.url, 'http://localhost').searchParams;
    const { step, date, time } = parseStep(query);
    if (!step || !isOpen(appointment) || isPaused(opened))
      return sendPage(response, 200, appointmentPage(opened, { isMoved: query.get('moved') === `${appointment.date}T${appointment.startTime}` }));
    if (step === 'cancel') return sendPage(response, 200, confirmCancelPage(opened));
    if (date && time) return sendPage(response, 200, confirmMovePage(opened, date, time));
    if (date) return showTimes(opened, date);
    const current = dateIn(appointment.timezone, clock.now()).slice(0, 7);
    const listed = (month: string) => call(scheduling, rpc.listManagedDays, { token, month }, caller);
    const { month, days } = await findDays(query.get('month') ?? '', current, listed);
    sendPage(response, 200, daysPage(opened, month, current, days));
  });

  const change = onSent(PAGE, async (opened) => {
    operating.checkChange();
    const { token, caller, request, response } = opened;
    const fields = fieldsOf(request);
    const action = fields.get('action');
    const { date = '', time = '' } = parseStep(fields);
    try {
      if (action === 'confirm') await call(scheduling, rpc.confirmManagedAppointment, { token, date, startTime: time }, caller);
      else if (action === 'cancel') await call(scheduling, rpc.cancelManagedAppointment, { token }, caller);
      else if (action === 'move' && date && time) {
        await call(scheduling, rpc.moveManagedAppointment, { token, date, startTime: time }, caller);
        return redirect(response, linkTo(token, { moved: `${date}T${time}` }));
      }
    } catch (thrown) {
      const { reason } = toServiceError(thrown, {});
      // NOT_FOUND: the doctor has been deactivated. If it is the appointment, showTimes() throws it again.
      const isUnavailable = reason === 'SLOT_TAKEN' || reason === 'SLOT_UNAVAILABLE' || (reason === 'NOT_FOUND' && action === 'move');
      if (isUnavailable) return showTimes(opened, date, true);
      // The page of the appointment explains these two.
      if (reason !== 'INSIDE_CANCELLATION_NOTICE' && reason !== 'APPOINTMENT_NOT_ACTIVE') throw thrown;
    }
    redirect(response, linkTo(token));
  });

  const download = onView(CALENDAR, async ({ appointment, token, response }) => {
    if (!isConfirmed(appointment)) return redirect(response, linkTo(token));
    response.writeHead(200, { 'Content-Type': 'text/calendar; charset=utf-8', 'Content-Disposition': 'attachment; filename="appointment.ics"' });
    response.end(toCalendar(appointment, token, clock.now()));
  });

  const router = express.Router({ caseSensitive: true });
  router
    .get(PAGE, show)
    .post(PAGE, form, change)
    .all(PAGE, refuseMethod(PAGE, ['GET', 'POST'], options.log));
  router.get(CALENDAR, download).all(CALENDAR, refuseMethod(CALENDAR, ['GET'], options.log));
  router.use(refuseBody(errorPage));
  return router;
}

/** The id of the event stays the same when the appointment moves, and does not reveal the token. */
function toCalendar({ date, startTime, endTime, ...appointment }: ManagedAppointment, token: string, now: Date): string {
  const { start, end } = spanIn(appointment.timezone, date, { startTime, endTime });
  const calendar = newCalendar({ product: 'Booking' });
  calendar.createEvent({
    id: `${hash('sha256', token).slice(0, 32)}@clinic-management`,
    stamp: now,
    start: start.toJSDate(),
    end: end.toJSDate(),
    summary: [appointment.typeName, appointment.clinicName].filter(Boolean).join(' · '),
    location: [appointment.clinicAddress, appointment.clinicCity].filter(Boolean).join(', '),
    description: [appointment.doctorName, appointment.cancellationText, appointment.clinicPhone].filter(Boolean).join('\n'),
  });
  return toCalendarFile(calendar);
}

function parseStep(fields: URLSearchParams) {
  const [step, date, time] = ['step', 'date', 'time'].map((name) => fields.get(name) ?? '');
  return {
    ...((step === 'move' || step === 'cancel') && { step }),
    ...(date && isLocalDate(date) && { date }),
    ...(time && isHourMinute(time) && { time }),
  };
}

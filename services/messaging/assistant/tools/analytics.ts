// The figures of the dashboard for a period, compared with the period before.
import { formatWeekday, type Language } from '@clinic/lib/formats/day-text.ts';
import { formatCents, fromCents } from '@clinic/lib/formats/money.ts';
import type { CountFigure, Dashboard, MoneyFigure, PeakHour, RateFigure } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { z } from 'zod';
import { freeText, person, queryReference, reference } from '../rules/tool-output.ts';
import { inLanguage } from '../rules/wording.ts';
import { optionalDay } from './argument-schemas.ts';
import { defineTool } from './tool.ts';

const MAX_ROWS = 12;

const periodArgs = z.object({ from: optionalDay, to: optionalDay });
/** Accepts the two dates in either order. */
const periodOf = ({ from, to }: z.infer<typeof periodArgs>) => (from && to && to < from ? { from: to, to: from } : { from, to });

const dashboardReference = ({ from, to }: { from: string; to: string }) =>
  queryReference(`dashboard ${from} ${to}`, `/api/analytics/dashboard?from=${from}&to=${to}`, `Cifras ${from} – ${to}`);
const linkTo = (href: string, label: string) => reference(queryReference(href, href, label));

const money = (figure: MoneyFigure | undefined, label: string) =>
  figure && { value: fromCents(figure.value), previous: fromCents(figure.previous), records: linkTo(figure.link, label) };
const counted = (figure: CountFigure | undefined, label: string) =>
  figure && { value: figure.value, previous: figure.previous, records: linkTo(figure.link, label) };
const rate = (figure: RateFigure | undefined, label: string) =>
  figure && { percent: percentOf(figure.value), previous_percent: percentOf(figure.previous), records: linkTo(figure.link, label) };
const percentOf = (share: number | undefined) => (share === undefined ? null : Math.round(share * 1000) / 10);

export const figures = defineTool({
  name: 'figures',
  description:
    'Figures of a period and of the period before: money collected, invoiced and pending, by doctor and procedure; occupancy; appointments, no-show and cancellation rates; new and returning patients; treatment acceptance; what is owed by age. Without days the last 30 days.',
  requires: { feature: 'analytics', revenue: true },
  args: periodArgs,
  load: ({ app, asUser }, args) => app.scheduling.analytics.getDashboard(periodOf(args), asUser),
  // plain-words: visits is public
  toModel: ({ from, to, previousFrom, previousTo, revenue, occupancy, visits: appointments, patients, treatment, receivables }: Dashboard) => ({
    source: reference(dashboardReference({ from, to })),
    from,
    to,
    previous_from: previousFrom,
    previous_to: previousTo,
    collected: money(revenue?.collected, 'Cobrado'),
    invoiced: money(revenue?.invoiced, 'Facturado'),
    pending: money(revenue?.pending, 'Pendiente'),
    collected_by_doctor: revenue?.byDoctor.slice(0, MAX_ROWS).map(({ fullName, collected }) => ({ doctor: person(fullName), ...money(collected, 'Cobrado') })),
    collected_by_procedure: revenue?.byProcedure.slice(0, MAX_ROWS).map(({ procedure, name, collected }) => ({
      procedure: procedure ?? null,
      name: freeText(name),
      ...money(collected, 'Cobrado'),
    })),
    occupancy: rate(occupancy?.rate, 'Ocupación'),
    occupancy_by_doctor: occupancy?.byDoctor.slice(0, MAX_ROWS).map(({ fullName, rate: share }) => ({ doctor: person(fullName), ...rate(share, 'Ocupación') })),
    appointments: counted(appointments?.booked, 'Citas'),
    completed: counted(appointments?.completed, 'Atendidas'),
    missed: counted(appointments?.noShow, 'Ausencias'),
    cancelled: counted(appointments?.cancelled, 'Canceladas'),
    no_show_rate: rate(appointments?.noShowRate, 'Ausencias'),
    cancellation_rate: rate(appointments?.cancellationRate, 'Cancelaciones'),
    booked_by_chat: counted(appointments?.chatBookings, 'Citas por chat'),
    new_patients: counted(patients?.newPatients, 'Pacientes nuevos'),
    returning_patients: counted(patients?.returningPatients, 'Pacientes que vuelven'),
    treatment_presented: money(treatment?.presentedAmount, 'Presupuestado'),
    treatment_accepted: money(treatment?.acceptedAmount, 'Aceptado'),
    treatment_acceptance_rate: rate(treatment?.acceptanceRate, 'Aceptación'),
    treatment_unscheduled: money(treatment?.unscheduledAmount, 'Sin agendar'),
    owed: money(receivables?.total, 'Por cobrar'),
    owed_over_90_days: money(receivables?.over90Days, 'Más de 90 días'),
  }),
  summary: ({ from, to }, language) => inLanguage(language, `Cifras del ${from} al ${to}`, `Figures of ${from} to ${to}`),
  toText(found, language, cite, currency) {
    const { from, to, revenue, occupancy, visits: appointments, patients, treatment } = found; // plain-words: visits is public
    const line = (es: string, en: string, text: string | undefined) => (text === undefined ? [] : [`- ${inLanguage(language, es, en)}: ${text}`]);
    return [
      inLanguage(
        language,
        `Del ${from} al ${to} ${cite(dashboardReference(found))} (entre paréntesis el período anterior):`,
        `From ${from} to ${to} ${cite(dashboardReference(found))} (the period before in brackets):`,
      ),
      ...line('Cobrado', 'Collected', moneyText(revenue?.collected, currency)),
      ...line('Facturado', 'Invoiced', moneyText(revenue?.invoiced, currency)),
      ...line('Pendiente', 'Pending', moneyText(revenue?.pending, currency)),
      ...line('Ocupación', 'Occupancy', rateText(occupancy?.rate, language)),
      ...line('Citas', 'Appointments', countText(appointments?.booked)),
      ...line('Ausentismo', 'No-show rate', rateText(appointments?.noShowRate, language)),
      ...line('Cancelaciones', 'Cancellation rate', rateText(appointments?.cancellationRate, language)),
      ...line('Pacientes nuevos', 'New patients', countText(patients?.newPatients)),
      ...line('Aceptación de tratamientos', 'Treatment acceptance', rateText(treatment?.acceptanceRate, language)),
    ].join('\n');
  },
});

const moneyText = (figure: MoneyFigure | undefined, currency: string) =>
  figure && `${formatCents(figure.value, currency)} (${formatCents(figure.previous, currency)})`;
const countText = (figure: CountFigure | undefined) => figure && `${figure.value} (${figure.previous})`;
const rateText = (figure: RateFigure | undefined, language: Language) => {
  const none = inLanguage(language, 'sin datos', 'no data');
  const percent = (share: number | undefined) => (share === undefined ? none : `${percentOf(share)} %`);
  return figure && `${percent(figure.value)} (${percent(figure.previous)})`;
};

/** 0 is Sunday. */
const weekdayName = (weekday: number, language: Language) => formatWeekday(weekday || 7, language);
function peakReference(from: string, to: string) {
  const href = `/api/analytics/peak-hours?from=${from}&to=${to}`;
  return queryReference(href, href, `Horas pico ${from} – ${to}`);
}

/** The busiest hours first. */
const toBusiest = (hours: PeakHour[]) =>
  hours
    .map(({ weekday, hour, visits }) => ({ weekday, hour, appointments: visits?.value ?? 0 })) // plain-words: visits is public
    .sort((a, b) => b.appointments - a.appointments)
    .slice(0, MAX_ROWS);

export const peakHours = defineTool({
  name: 'peak_hours',
  description: 'When patients come: appointments by weekday and hour of a period, the busiest first. Without days the last 30 days.',
  requires: { feature: 'analytics' },
  args: periodArgs,
  load: ({ app, asUser }, args) => app.scheduling.analytics.getPeakHours(periodOf(args), asUser),
  toModel: ({ from, to, hours }) => ({
    source: reference(peakReference(from, to)),
    from,
    to,
    busiest: toBusiest(hours).map(({ weekday, ...rest }) => ({ weekday: weekdayName(weekday, 'en'), ...rest })),
  }),
  summary: ({ from, to }, language) => inLanguage(language, `Horas pico del ${from} al ${to}`, `Peak hours of ${from} to ${to}`),
  toText({ from, to, hours }, language, cite) {
    const source = cite(peakReference(from, to));
    const lines = toBusiest(hours)
      .slice(0, 5)
      .map(({ weekday, hour, appointments }) => `- ${weekdayName(weekday, language)}, ${hour}:00: ${appointments}`);
    return [inLanguage(language, `Horas con más citas, del ${from} al ${to} ${source}:`, `Busiest hours, ${from} to ${to} ${source}:`), ...lines].join('\n');
  },
});

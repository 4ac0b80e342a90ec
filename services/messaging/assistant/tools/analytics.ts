// How the clinic does: the figures of a period beside those of the period before, as the dashboard shows them.
import {
  AnalyticsService,
  type CountFigure,
  type Dashboard,
  type MoneyFigure,
  type PeakHour,
  type RateFigure,
} from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { createClient } from '@connectrpc/connect';
import { z } from 'zod';
import { person, type Reference, reference, words } from '../rules/tool-output.ts';
import { optionalDay } from './argument-schemas.ts';
import { amountOf } from './plans.ts';
import { in2, type Language, tool } from './tool.ts';

const MOST = 12;

const periodArgs = z.object({ from: optionalDay, to: optionalDay });
/** A period that the wrong way round was asked for is the same period. */
const periodOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => {
  const [first, last] = from && to && to < from ? [to, from] : [from, to];
  return { ...(first && { from: first }), ...(last && { to: last }) };
};

const dashboardReference = ({ from, to }: { from: string; to: string }): Reference => ({
  kind: 'consulta',
  id: `dashboard ${from} ${to}`,
  href: `/api/analytics/dashboard?from=${from}&to=${to}`,
  label: `Cifras ${from} – ${to}`,
});
const linked = (href: string, label: string) => reference({ kind: 'consulta', id: href, href, label });

const money = (figure: MoneyFigure | undefined, label: string) =>
  figure && { value: amountOf(figure.value), previous: amountOf(figure.previous), records: linked(figure.link, label) };
const counted = (figure: CountFigure | undefined, label: string) =>
  figure && { value: figure.value, previous: figure.previous, records: linked(figure.link, label) };
const rate = (figure: RateFigure | undefined, label: string) =>
  figure && { percent: percentOf(figure.value), previous_percent: percentOf(figure.previous), records: linked(figure.link, label) };
const percentOf = (share: number | undefined) => (share === undefined ? null : Math.round(share * 1000) / 10);

export const figures = tool({
  name: 'figures',
  about:
    'Figures of a period and of the period before: money collected, invoiced and pending, by doctor and procedure; occupancy; visits, no-show and cancellation rates; new and returning patients; treatment acceptance; what is owed by age. Without days the last 30 days.',
  needs: { feature: 'analytics' },
  args: periodArgs,
  read: (asking, args) => createClient(AnalyticsService, asking.app.neighbour('scheduling')).getDashboard(periodOf(args), asking.as),
  tell: ({ from, to, previousFrom, previousTo, revenue, occupancy, visits, patients, treatment, receivables }: Dashboard) => ({
    source: reference(dashboardReference({ from, to })),
    from,
    to,
    previous_from: previousFrom,
    previous_to: previousTo,
    collected: money(revenue?.collected, 'Cobrado'),
    invoiced: money(revenue?.invoiced, 'Facturado'),
    pending: money(revenue?.pending, 'Pendiente'),
    collected_by_doctor: revenue?.byDoctor.slice(0, MOST).map(({ fullName, collected }) => ({ doctor: person(fullName), ...money(collected, 'Cobrado') })),
    collected_by_procedure: revenue?.byProcedure.slice(0, MOST).map(({ procedure, name, collected }) => ({
      procedure: procedure ?? null,
      name: words(name),
      ...money(collected, 'Cobrado'),
    })),
    occupancy: rate(occupancy?.rate, 'Ocupación'),
    occupancy_by_doctor: occupancy?.byDoctor.slice(0, MOST).map(({ fullName, rate: share }) => ({ doctor: person(fullName), ...rate(share, 'Ocupación') })),
    visits: counted(visits?.booked, 'Citas'),
    completed: counted(visits?.completed, 'Atendidas'),
    missed: counted(visits?.noShow, 'Ausencias'),
    cancelled: counted(visits?.cancelled, 'Canceladas'),
    no_show_rate: rate(visits?.noShowRate, 'Ausencias'),
    cancellation_rate: rate(visits?.cancellationRate, 'Cancelaciones'),
    booked_by_chat: counted(visits?.chatBookings, 'Citas por chat'),
    new_patients: counted(patients?.newPatients, 'Pacientes nuevos'),
    returning_patients: counted(patients?.returningPatients, 'Pacientes que vuelven'),
    treatment_presented: money(treatment?.presentedAmount, 'Presupuestado'),
    treatment_accepted: money(treatment?.acceptedAmount, 'Aceptado'),
    treatment_acceptance_rate: rate(treatment?.acceptanceRate, 'Aceptación'),
    treatment_unscheduled: money(treatment?.unscheduledAmount, 'Sin agendar'),
    owed: money(receivables?.total, 'Por cobrar'),
    owed_over_90_days: money(receivables?.over90Days, 'Más de 90 días'),
  }),
  summary: ({ from, to }, language) => in2(language, `Cifras del ${from} al ${to}`, `Figures of ${from} to ${to}`),
  say(found, language, cite) {
    const { from, to, revenue, occupancy, visits, patients, treatment } = found;
    const line = (es: string, en: string, text: string | undefined) => (text === undefined ? [] : [`- ${in2(language, es, en)}: ${text}`]);
    return [
      in2(
        language,
        `Del ${from} al ${to} ${cite(dashboardReference(found))} (entre paréntesis el período anterior):`,
        `From ${from} to ${to} ${cite(dashboardReference(found))} (the period before in brackets):`,
      ),
      ...line('Cobrado', 'Collected', sayMoney(revenue?.collected)),
      ...line('Facturado', 'Invoiced', sayMoney(revenue?.invoiced)),
      ...line('Pendiente', 'Pending', sayMoney(revenue?.pending)),
      ...line('Ocupación', 'Occupancy', sayRate(occupancy?.rate, language)),
      ...line('Citas', 'Visits', sayCount(visits?.booked)),
      ...line('Ausentismo', 'No-show rate', sayRate(visits?.noShowRate, language)),
      ...line('Cancelaciones', 'Cancellation rate', sayRate(visits?.cancellationRate, language)),
      ...line('Pacientes nuevos', 'New patients', sayCount(patients?.newPatients)),
      ...line('Aceptación de tratamientos', 'Treatment acceptance', sayRate(treatment?.acceptanceRate, language)),
    ].join('\n');
  },
});

const sayMoney = (figure: MoneyFigure | undefined) => figure && `$${amountOf(figure.value).toFixed(2)} ($${amountOf(figure.previous).toFixed(2)})`;
const sayCount = (figure: CountFigure | undefined) => figure && `${figure.value} (${figure.previous})`;
const sayRate = (figure: RateFigure | undefined, language: Language) => {
  const none = in2(language, 'sin datos', 'no data');
  const say = (share: number | undefined) => (share === undefined ? none : `${percentOf(share)} %`);
  return figure && `${say(figure.value)} (${say(figure.previous)})`;
};

const WEEKDAYS = {
  es: ['domingo', 'lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado'],
  en: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
};
const busiestFirst = (hours: PeakHour[]) => [...hours].sort((a, b) => (b.visits?.value ?? 0) - (a.visits?.value ?? 0)).slice(0, MOST);

export const peakHours = tool({
  name: 'peak_hours',
  about: 'When patients come: visits by weekday and hour of a period, the busiest first. Without days the last 30 days.',
  needs: { feature: 'analytics' },
  args: periodArgs,
  read: (asking, args) => createClient(AnalyticsService, asking.app.neighbour('scheduling')).getPeakHours(periodOf(args), asking.as),
  tell: ({ from, to, hours }) => ({
    source: linked(`/api/analytics/peak-hours?from=${from}&to=${to}`, `Horas pico ${from} – ${to}`),
    from,
    to,
    busiest: busiestFirst(hours).map(({ weekday, hour, visits }) => ({ weekday: WEEKDAYS.en[weekday] ?? '', hour, visits: visits?.value ?? 0 })),
  }),
  summary: ({ from, to }, language) => in2(language, `Horas pico del ${from} al ${to}`, `Peak hours of ${from} to ${to}`),
  say({ from, to, hours }, language, cite) {
    const href = `/api/analytics/peak-hours?from=${from}&to=${to}`;
    const source = cite({ kind: 'consulta', id: href, href, label: `Horas pico ${from} – ${to}` });
    const lines = busiestFirst(hours)
      .slice(0, 5)
      .map(({ weekday, hour, visits }) => `- ${WEEKDAYS[language][weekday]}, ${hour}:00: ${visits?.value ?? 0}`);
    return [in2(language, `Horas con más citas, del ${from} al ${to} ${source}:`, `Busiest hours, ${from} to ${to} ${source}:`), ...lines].join('\n');
  },
});

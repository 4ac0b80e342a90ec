// The dashboard as a page in Letter format, laid out for SVG and PDF.
import type { CountFigure, Dashboard, MoneyFigure, RateFigure } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { type Bar, bars, capacityOf } from './bars.ts';
import { daysChart, stepOf } from './days-chart.ts';
import { count, counted, money, percent, period, WEEK, WEEKDAYS } from './format.ts';
import { type HourCell, heatmap } from './heatmap.ts';
import { ACCENT, FAINT, INK, SECOND, SOFT, TRACK } from './palette.ts';
import { type Card, card, emptyText, type Frame, growth, inside, panel, points } from './panel.ts';
import { receivablesBar } from './receivables-bar.ts';
import { box, fit, type Shape, segment, widthOf, write } from './shapes.ts';

export const WIDTH = 612;
export const HEIGHT = 792;
const MARGIN = 34;
const GAP = 9;
const ACROSS = WIDTH - 2 * MARGIN;
const HALF = (ACROSS - GAP) / 2;

/** Name and currency of the clinic. */
type Header = { name: string; currency: string };

export const titleOf = ({ from, to }: Dashboard, { name }: Header) => `Tablero de ${name}: ${period(from, to)}`;

/** The main figures in one sentence, for screen readers. */
// plain-words: visits is public JSON
export function descriptionOf({ revenue, occupancy, visits: appointments }: Dashboard, { currency }: Header): string {
  const collected = money(revenue?.collected?.value ?? 0n, currency);
  return `Cobrado ${collected}, ocupación ${percent(occupancy?.rate?.value)}, ${counted(appointments?.booked?.value ?? 0, 'cita', 'citas')}, inasistencias ${percent(appointments?.noShowRate?.value)}.`;
}

export function layOutPage(dashboard: Dashboard, hours: HourCell[], header: Header): Shape[] {
  const frame = (y: number, height: number, x = MARGIN, width = ACROSS): Frame => ({ x, y, width, height });
  const [left, right] = [MARGIN, MARGIN + HALF + GAP];
  const { byDoctor = [], byProcedure = [] } = dashboard.revenue ?? {};
  const doctors = byDoctor.map(({ fullName, collected }) => ({ name: fullName ?? 'Sin asignar', cents: collected?.value ?? 0n }));
  const procedures = byProcedure.map(({ procedure, name, collected }) => ({ name: name ?? procedure ?? 'Otros', cents: collected?.value ?? 0n }));
  return [
    ...heading(dashboard, header),
    ...cards(dashboard, header.currency),
    ...daysPanel(frame(232, 140), dashboard, header.currency),
    ...moneyPanel(frame(381, 128, left, HALF), 'Cobrado por doctor', doctors, header.currency),
    ...moneyPanel(frame(381, 128, right, HALF), 'Cobrado por procedimiento', procedures, header.currency),
    ...occupancyPanel(frame(518, 140, left, HALF), dashboard),
    ...hoursPanel(frame(518, 140, right, HALF), hours),
    ...receivablesPanel(frame(667, 88), dashboard, header.currency),
    ...foot(dashboard, header.currency),
  ];
}

function heading({ from, to, previousFrom, previousTo }: Dashboard, { name }: Header): Shape[] {
  const days = period(from, to);
  const nameWidth = ACROSS - widthOf(days, 10, 'bold') - 20;
  return [
    box(0, 0, WIDTH, 7, { fill: ACCENT }),
    write(MARGIN, 43, fit(name, nameWidth, 17, 'bold'), { size: 17, weight: 'bold', fill: INK }),
    write(MARGIN, 58, 'Tablero de la clínica', { size: 9.5, fill: FAINT }),
    write(WIDTH - MARGIN, 43, days, { size: 10, weight: 'bold', fill: ACCENT, anchor: 'end' }),
    write(WIDTH - MARGIN, 58, `frente al ${period(previousFrom, previousTo)}`, { size: 8, fill: FAINT, anchor: 'end' }),
  ];
}

type Figure<V> = { value?: V | undefined; previous?: V | undefined; change?: number | undefined } | undefined;

/** `more` is whether a higher value is better or worse. */
const cardOf = <V>(label: string, figure: Figure<V>, format: (value: V | undefined) => string, change: typeof growth, more: Card['more']): Card => ({
  label,
  value: format(figure?.value),
  before: `antes ${format(figure?.previous)}`,
  change: figure?.change,
  difference: change(figure?.change),
  more,
});

const moneyCard = (label: string, figure: MoneyFigure | undefined, currency: string, more: Card['more'] = 'better') =>
  cardOf(label, figure, (cents = 0n) => money(cents, currency), growth, more);
const countCard = (label: string, figure: CountFigure | undefined) => cardOf(label, figure, (value = 0) => count(value), growth, 'better');
const rateCard = (label: string, figure: RateFigure | undefined, more: Card['more'] = 'better') => cardOf(label, figure, (rate) => percent(rate), points, more);

// plain-words: visits is public JSON
function cards({ revenue, occupancy, visits: appointments, patients, treatment }: Dashboard, currency: string): Shape[] {
  const rows: Card[][] = [
    [
      moneyCard('Cobrado', revenue?.collected, currency),
      moneyCard('Facturado', revenue?.invoiced, currency),
      moneyCard('Por cobrar', revenue?.pending, currency, 'worse'),
      rateCard('Ocupación', occupancy?.rate),
      countCard('Citas', appointments?.booked),
    ],
    [
      rateCard('Inasistencias', appointments?.noShowRate, 'worse'),
      rateCard('Cancelaciones', appointments?.cancellationRate, 'worse'),
      countCard('Pacientes nuevos', patients?.newPatients),
      rateCard('Planes aceptados', treatment?.acceptanceRate),
      countCard('Citas por chat', appointments?.chatBookings),
    ],
  ];
  const width = (ACROSS - 4 * GAP) / 5;
  return rows.flatMap((row, down) =>
    row.flatMap((one, along) => card({ x: MARGIN + along * (width + GAP), y: 74 + down * (70 + GAP), width, height: 70 }, one)),
  );
}

function daysPanel(frame: Frame, { revenue }: Dashboard, currency: string): Shape[] {
  const days = revenue?.byDay ?? [];
  const top = frame.y + 17;
  const right = frame.x + frame.width - 10;
  return [
    ...panel(frame, `Ingresos por ${stepOf(days)}`),
    box(right - 104, top - 6, 7, 7, { fill: ACCENT, radius: 1 }),
    write(right - 94, top, 'Cobrado', { size: 7.5, fill: FAINT }),
    segment([right - 50, top - 2.5], [right - 41, top - 2.5], SECOND, 1.5),
    write(right, top, 'Facturado', { size: 7.5, fill: FAINT, anchor: 'end' }),
    ...daysChart(inside(frame), days, currency),
  ];
}

type Named = { name: string; cents: bigint; rest?: boolean };

function moneyPanel(frame: Frame, title: string, all: Named[], currency: string): Shape[] {
  const some = all.filter(({ cents }) => cents > 0n);
  const place = inside(frame);
  if (some.length === 0) return [...panel(frame, title), ...emptyText(place, 'Sin cobros en el período')];
  const toBar = ({ name, cents, ...more }: Named): Bar => ({ name, value: Number(cents), label: money(cents, currency), ...more });
  const capacity = capacityOf(place);
  const shown = some.length <= capacity ? some : [...some.slice(0, capacity - 1), rest(some.slice(capacity - 1))];
  return [...panel(frame, title), ...bars(place, shown.map(toBar), ACCENT)];
}

const rest = (some: Named[]): Named => ({ name: `Otros ${some.length}`, cents: some.reduce((sum, { cents }) => sum + cents, 0n), rest: true });

function occupancyPanel(frame: Frame, { occupancy }: Dashboard): Shape[] {
  const place = inside(frame);
  const week = { ...place, y: place.y + place.height - 30, height: 30 };
  const doctors = [...(occupancy?.byDoctor ?? [])]
    .filter(({ availableMinutes }) => availableMinutes > 0n)
    .toSorted((a, b) => (b.rate?.value ?? 0) - (a.rate?.value ?? 0));
  const some = doctors.map(({ fullName, rate }): Bar => ({ name: fullName, value: rate?.value ?? 0, label: percent(rate?.value, 0) }));
  const note = doctors.length > 4 ? `4 de ${doctors.length} doctores` : '';
  if (some.length === 0) return [...panel(frame, 'Ocupación'), ...emptyText(place, 'Sin horas de atención en el período')];
  const cell = week.width / 7;
  const days = WEEK.flatMap((weekday, index) => {
    const rate = occupancy?.byWeekday.find((one) => one.weekday === weekday)?.rate?.value;
    const x = week.x + index * cell;
    return [
      write(x, week.y + 5, WEEKDAYS[weekday] ?? '', { size: 7, fill: FAINT }),
      box(x, week.y + 9, cell - 5, 4, { fill: TRACK, radius: 2 }),
      ...(rate ? [box(x, week.y + 9, Math.min(rate, 1) * (cell - 5), 4, { fill: ACCENT, radius: 2 })] : []),
      write(x, week.y + 23, percent(rate, 0), { size: 7.5, weight: 'bold' }),
    ];
  });
  return [...panel(frame, 'Ocupación por doctor y día', note), ...bars({ ...place, height: place.height - 38 }, some, SOFT, 1), ...days];
}

function hoursPanel(frame: Frame, hours: HourCell[]): Shape[] {
  const title = 'Horas pico';
  if (hours.length === 0) return [...panel(frame, title), ...emptyText(inside(frame), 'Sin citas en el período')];
  return [...panel(frame, title, 'citas por hora de inicio'), ...heatmap(inside(frame), hours)];
}

function receivablesPanel(frame: Frame, { receivables }: Dashboard, currency: string): Shape[] {
  const ages = [
    { name: 'Al día', cents: receivables?.notDue?.value ?? 0n },
    { name: '1 a 30 días de mora', cents: receivables?.days1To30?.value ?? 0n },
    { name: '31 a 60 días', cents: receivables?.days31To60?.value ?? 0n },
    { name: '61 a 90 días', cents: receivables?.days61To90?.value ?? 0n },
    { name: 'Más de 90 días', cents: receivables?.over90Days?.value ?? 0n },
  ];
  const title = 'Cuentas por cobrar por antigüedad';
  if (!receivables?.total?.value) return [...panel(frame, title), ...emptyText(inside(frame), 'Nada por cobrar')];
  return [...panel(frame, title, `en total ${money(receivables.total.value, currency)}`), ...receivablesBar(inside(frame), ages, currency)];
}

function foot({ patients, treatment }: Dashboard, currency: string): Shape[] {
  const returning = counted(patients?.returningPatients?.value ?? 0, 'paciente que vuelve', 'pacientes que vuelven');
  const waiting = `${money(treatment?.unscheduledAmount?.value ?? 0n, currency)} en ${counted(treatment?.unscheduledSteps?.value ?? 0, 'paso', 'pasos')} de tratamiento sin agendar`;
  return [write(MARGIN, 772, returning, { size: 8, fill: INK }), write(WIDTH - MARGIN, 772, waiting, { size: 8, fill: INK, anchor: 'end' })];
}

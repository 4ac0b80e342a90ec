// The dashboard page, for any names and amounts.
import { create } from '@bufbuild/protobuf';
import { DashboardSchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { period } from './format.ts';
import { HEIGHT, layOutPage, titleOf, WIDTH } from './page.ts';
import { toPdf } from './pdf.ts';
import { type Shape, widthOf } from './shapes.ts';
import { toSvg } from './svg.ts';

const cents = fc.oneof(fc.constant(0n), fc.bigInt({ min: -1_000n, max: 999_999_999_999n }));
const rate = fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { nil: undefined });
const change = fc.option(fc.double({ min: -1, max: 9_999, noNaN: true }), { nil: undefined });
const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.constant('Clínica <script>"&\u0007 😀 Łódź'));
const moneyFigure = fc.record({ value: cents, previous: cents, change });
const countFigure = fc.record({ value: fc.nat(), previous: fc.nat(), change });
const rateFigure = fc.record({ value: rate, previous: rate, change: rate });
const dashboards = fc
  .record({
    days: fc.integer({ min: 1, max: 366 }),
    collected: moneyFigure,
    doctors: fc.array(fc.record({ fullName: fc.option(name, { nil: undefined }), collected: moneyFigure }), { maxLength: 30 }),
    procedures: fc.array(fc.record({ name: fc.option(name, { nil: undefined }), collected: moneyFigure }), { maxLength: 30 }),
    occupancies: fc.array(fc.record({ doctorId: fc.uuid(), fullName: name, availableMinutes: fc.bigInt({ min: 0n, max: 9_999n }), rate: rateFigure }), {
      maxLength: 30,
    }),
    weekdays: fc.array(rateFigure, { minLength: 7, maxLength: 7 }),
    count: countFigure,
    rate: rateFigure,
    owed: fc.array(moneyFigure, { minLength: 6, maxLength: 6 }),
    amounts: fc.array(fc.tuple(cents, cents), { minLength: 366, maxLength: 366 }),
  })
  .map(({ days, collected, doctors, procedures, occupancies, weekdays, count, rate: share, owed, amounts }) => {
    const [total, notDue, days1To30, days31To60, days61To90, over90Days] = owed;
    const dateOf = (day: number) => new Date(Date.UTC(2025, 10, 21 + day)).toISOString().slice(0, 10);
    return create(DashboardSchema, {
      ...{ from: dateOf(0), to: dateOf(days - 1), previousFrom: '2024-11-21', previousTo: '2025-11-20' },
      revenue: {
        ...{ collected, invoiced: collected, pending: total, byDoctor: doctors, byProcedure: procedures },
        byDay: amounts.slice(0, days).map(([one, other], day) => ({ date: dateOf(day), collected: one, invoiced: other })),
      },
      occupancy: { rate: share, byDoctor: occupancies, byWeekday: weekdays.map((one, weekday) => ({ weekday, rate: one })) },
      // plain-words: visits is public JSON
      visits: {
        // plain-words: visits is public JSON
        booked: count,
        noShowRate: share,
        cancellationRate: share,
        chatBookings: count,
      },
      patients: { newPatients: count, returningPatients: count },
      treatment: { acceptanceRate: share, unscheduledSteps: count, unscheduledAmount: collected },
      receivables: { total, notDue, days1To30, days31To60, days61To90, over90Days },
    });
  });
const hours = fc.array(fc.record({ weekday: fc.nat({ max: 6 }), hour: fc.nat({ max: 23 }), appointments: fc.nat({ max: 9_999 }) }), { maxLength: 40 });

/** The bounds of a shape: left, top, right, bottom. */
function boundsOf(shape: Shape): [number, number, number, number] {
  if (shape.kind === 'box') return [shape.x, shape.y, shape.x + shape.width, shape.y + shape.height];
  if (shape.kind === 'text') {
    const width = widthOf(shape.text, shape.size, shape.weight);
    const left = shape.x - { start: 0, middle: width / 2, end: width }[shape.anchor];
    return [left, shape.y - shape.size, left + width, shape.y];
  }
  const [xs, ys] = [shape.points.map(([x]) => x), shape.points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function isOnPage(shape: Shape): boolean {
  const [left, top, right, bottom] = boundsOf(shape);
  const isDrawn = shape.kind !== 'box' || Math.min(shape.width, shape.height) >= 0;
  return isDrawn && left >= -1 && top >= 0 && right <= WIDTH + 1 && bottom <= HEIGHT; // false for NaN
}

test('all shapes are within the page, and the files are well-formed', async () => {
  await fc.assert(
    fc.asyncProperty(dashboards, hours, name, async (dashboard, cells, clinic) => {
      const header = { name: clinic, currency: 'USD' };
      const shapes = layOutPage(dashboard, cells, header);
      expect(shapes.filter((shape) => !isOnPage(shape))).toEqual([]);
      const svg = toSvg(WIDTH, HEIGHT, { title: titleOf(dashboard, header), description: '' }, shapes);
      expect(svg).not.toMatch(/\b1 (?:citas|pacientes|pasos)\b|NaN|undefined|<script|\p{Cc}|&(?!amp;|lt;|gt;|quot;)/u);
      const pdf = (await toPdf(WIDTH, HEIGHT, { title: clinic, at: new Date(0) }, shapes)).toString('latin1');
      expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

test('long names of doctors and procedures are shown whole', () => {
  const names = ['Dra. Ana Rivas', 'Dra. Elena Margarita Rivas de Montes', 'Dr. José Ángel Núñez Peña de la Concepción y Hernández'];
  const value = { value: 100n };
  const dashboard = create(DashboardSchema, {
    ...{ from: '2026-11-01', to: '2026-11-30', previousFrom: '2026-10-02', previousTo: '2026-10-31' },
    revenue: { byDoctor: names.map((fullName) => ({ fullName, collected: value })), byProcedure: names.map((one) => ({ name: one, collected: value })) },
    occupancy: { byDoctor: names.map((fullName) => ({ fullName, availableMinutes: 60n, rate: { value: 0.5 } })) },
  });
  const texts = layOutPage(dashboard, [], { name: 'Clínica', currency: 'USD' }).flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
  for (const name of names) expect(texts.join(' ').split(name)).toHaveLength(4);
});

test('periods are formatted in Spanish', () => {
  expect(period('2026-11-01', '2026-11-30')).toBe('1 al 30 de noviembre de 2026');
  expect(period('2026-10-22', '2026-11-20')).toBe('22 de octubre al 20 de noviembre de 2026');
  expect(period('2025-12-01', '2026-01-31')).toBe('1 de diciembre de 2025 al 31 de enero de 2026');
  expect(period('2026-11-20', '2026-11-20')).toBe('20 de noviembre de 2026');
});

// When patients come, by weekday and hour.

import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPeakHoursRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { readHours, readPeriod } from './get-dashboard.ts';
import { countFigure } from './figure-rules.ts';
import { visitsIn } from './to-figures.ts';

export async function getPeakHours(app: App, request: GetPeakHoursRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const period = readPeriod(request, dateIn(timezone, app.clock.now()));
  const sums = await readHours(app, id, period);
  const path = visitsIn(period);
  const figure = (some: typeof sums) => countFigure(total(some, true), total(some, false), path);
  const hours = [...Map.groupBy(sums, ({ weekday, hour }) => weekday * 24 + hour).values()].map((sides) => {
    const [{ weekday, hour }] = sides as [(typeof sums)[number]];
    return { weekday, hour, visits: figure(sides) };
  });
  const [busiest] = hours.filter(({ visits }) => visits.value > 0).toSorted((a, b) => b.visits.value - a.visits.value);
  return { ...period, hours, busiest, visits: figure(sums) };
}

const total = (some: { current: boolean; visits: number }[], side: boolean) =>
  some.filter(({ current }) => current === side).reduce((sum, { visits }) => sum + visits, 0);

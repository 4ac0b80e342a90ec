// What a booking of the series would find. It claims the slots as the booking does, and writes nothing.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { PreviewSeriesRequest } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import type { App } from '../app.ts';
import { claimSlot } from '../slots/claim-slot.ts';
import { parseNeeds, QUERY, resolveNeeds } from '../slots/slot-needs.ts';
import { parseSeries } from './parse-series.ts';
import { type Refused, trySlot } from './try-slots.ts';

const NAMES = { doctor: 'doctor_id', date: 'appointment_date', time: 'start_time', weeks: 'weeks' };

export async function previewSeries(app: App, request: PreviewSeriesRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const { dates, ...series } = parseSeries(request, request.weeks, NAMES, clinic, now);
  const asked = parseNeeds(request, QUERY);
  return inTenant(app.db, clinic.id, async (tx) => {
    const needs = await resolveNeeds(tx, series.doctorId, asked, QUERY);
    const free: { date: string; startTime: string; endTime: string }[] = [];
    const refused: Refused[] = [];
    for (const date of dates) {
      const wanted = { ...series, date, needs };
      const tried = await trySlot(tx, clinic, wanted, now, () => claimSlot(tx, clinic, wanted, now));
      if ('taken' in tried) free.push({ date, startTime: tried.taken.slot.startTime, endTime: tried.taken.slot.endTime });
      else refused.push(tried);
    }
    return { free, refused };
  });
}

// Series: appointments at the same time every few weeks. They are appointments with one series_id.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import type { App } from '../app.ts';
import { bookSeries, previewSeries } from './book-series.ts';
import { cancelSeries, listSeries } from './manage-series.ts';
import { rescheduleSeries } from './reschedule-series.ts';

export const appointmentSeries: Module<App> = {
  rpcs: [rpcs(AppointmentSeriesService, { previewSeries, bookSeries, listSeries, rescheduleSeries, cancelSeries })],
};

// Figures of the platform, from events.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import type { App } from '../app.ts';
import { onAppointmentBooked, onAppointmentRescheduled, onAppointmentStatusChanged, onClinicRegistered, onClinicUpdated, onOrderChanged } from './consumers.ts';
import { getStats } from './get-stats.ts';

export const statistics: Module<App> = {
  rpcs: [rpcs(StatsService, { getStats })],
  consumers: () => [onClinicRegistered, onClinicUpdated, onAppointmentBooked, onAppointmentStatusChanged, onAppointmentRescheduled, onOrderChanged],
  personal: [
    { table: 'clinics_seen' },
    { table: 'appointments_seen' },
    { table: 'orders_seen', withClinic: 'keep', why: 'amounts and dates of payments, without names, for accounting' },
  ],
};

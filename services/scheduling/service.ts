// Scheduling: doctors, patients and appointments. Joins the modules.
import path from 'node:path';
import { defineService } from '@clinic/lib/runtime/module.ts';
import { agenda } from './agenda/module.ts';
import { analytics } from './analytics/module.ts';
import { createApp } from './app.ts';
import { appointmentImports } from './appointment-imports/module.ts';
import { appointmentSeries } from './appointment-series/module.ts';
import { appointmentTypes } from './appointment-types/module.ts';
import { appointments } from './appointments/module.ts';
import { calendar } from './calendar/module.ts';
import { checkIn } from './check-in/module.ts';
import { clinicalNotes } from './clinical-notes/module.ts';
import { clinics } from './clinics/module.ts';
import { commissions } from './commissions/module.ts';
import { doctors } from './doctors/module.ts';
import { files } from './files/module.ts';
import { forms } from './forms/module.ts';
import { manageLinks } from './manage-links/module.ts';
import { medicalAlerts } from './medical-alerts/module.ts';
import { patientImports } from './patient-imports/module.ts';
import { patientMerges } from './patient-merges/module.ts';
import { patients } from './patients/module.ts';
import { prescriptions } from './prescriptions/module.ts';
import { publicBooking } from './public-booking/module.ts';
import { reports } from './reports/module.ts';
import { resources } from './resources/module.ts';
import { dependencies, settings } from './settings.ts';
import { slots } from './slots/module.ts';
import { timeline } from './timeline/module.ts';
import { waitlist } from './waitlist/module.ts';
import { zoneChanges } from './zone-changes/module.ts';

export default defineService({
  name: 'scheduling',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  dependencies,
  // Rows are erased in this order: what refers to others first.
  // biome-ignore format: one name a line would need more lines than a service.ts may have
  modules: [
    waitlist, patientMerges, clinicalNotes, files, prescriptions, forms, publicBooking, appointments, appointmentSeries, commissions, patientImports,
    medicalAlerts, patients, slots, appointmentTypes, resources, doctors, calendar, checkIn, manageLinks, agenda, analytics, reports, clinics, zoneChanges,
    timeline, appointmentImports,
  ],
  createApp,
});

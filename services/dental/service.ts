// Joins the modules of dental.
import path from 'node:path';
import { defineService } from '@clinic/lib/runtime/module.ts';
import { createApp } from './app.ts';
import { charts } from './charts/module.ts';
import { clinics } from './clinics/module.ts';
import { documents } from './documents/module.ts';
import { patientMerges } from './patient-merges/module.ts';
import { paymentPlans } from './payment-plans/module.ts';
import { periodontics } from './periodontics/module.ts';
import { prices } from './prices/module.ts';
import { quotes } from './quotes/module.ts';
import { recall } from './recall/module.ts';
import { dependencies, settings } from './settings.ts';
import { timeline } from './timeline/module.ts';
import { treatmentPlans } from './treatment-plans/module.ts';

export default defineService({
  name: 'dental',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  dependencies,
  // Rows are erased in this order: quotes and payment plans refer to treatment plans.
  modules: [quotes, paymentPlans, treatmentPlans, charts, periodontics, patientMerges, recall, prices, documents, clinics, timeline],
  createApp,
});

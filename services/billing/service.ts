// Joins the modules of billing. Their rows are erased in the order of the modules.
import path from 'node:path';
import { defineService } from '@clinic/lib/runtime/module.ts';
import { createApp } from './app.ts';
import { dependencies, settings } from './settings.ts';
import { subscriptions } from './subscriptions/module.ts';
import { taxDocuments } from './tax-documents/module.ts';

export default defineService({
  name: 'billing',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  dependencies,
  modules: [taxDocuments, subscriptions],
  createApp,
});

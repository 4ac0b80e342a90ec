// Appointments, drafts and offers keep their local times when the clinic's time zone changes.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';
import { zoneConsumers } from './consumers.ts';
import { mailTimeConflictsJob } from './mail-time-conflicts.ts';

export const zoneChanges: Module<App> = {
  consumers: zoneConsumers,
  jobs: (app) => [mailTimeConflictsJob(app)],
};

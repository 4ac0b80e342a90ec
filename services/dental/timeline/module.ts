// What dental contributes to the timeline of a patient.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { TimelineService } from '@clinic/proto/dental/v1/timeline_pb.js';
import type { App } from '../app.ts';
import { listTimelineEntries } from './list-timeline-entries.ts';

export const timeline: Module<App> = { rpcs: [rpcs(TimelineService, { listTimelineEntries })] };

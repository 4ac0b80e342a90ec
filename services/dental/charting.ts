// The wiring of charts, periodontics and recall, which service.ts puts beside that of plans and payments.
import type { Consumer } from '@clinic/lib/events.ts';
import type { Job } from '@clinic/lib/jobs.ts';
import { type Implementation, implement } from '@clinic/lib/rpc/pipeline.ts';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from './app.ts';
import { addChartEntry } from './handlers/add-chart-entry.ts';
import { addPeriodontalExam } from './handlers/add-periodontal-exam.ts';
import { comparePeriodontalExams } from './handlers/compare-periodontal-exams.ts';
import { drawChart } from './handlers/draw-chart.ts';
import { drawPeriodontalExam } from './handlers/draw-periodontal-exam.ts';
import { getChart } from './handlers/get-chart.ts';
import { getChartHistory } from './handlers/get-chart-history.ts';
import { getPeriodontalExam } from './handlers/get-periodontal-exam.ts';
import { listFindings } from './handlers/list-findings.ts';
import { listPeriodontalExams } from './handlers/list-periodontal-exams.ts';
import { setDentition } from './handlers/set-dentition.ts';
import { voidChartEntry } from './handlers/void-chart-entry.ts';

export function charting(app: App): { implementations: Implementation[]; consumers: Consumer[]; jobs: Job[] } {
  return {
    implementations: [
      implement(app, ChartService, { getChart, drawChart, getChartHistory, addChartEntry, voidChartEntry, setDentition, listFindings }),
      implement(app, PeriodonticsService, { addPeriodontalExam, listPeriodontalExams, getPeriodontalExam, drawPeriodontalExam, comparePeriodontalExams }),
    ],
    consumers: [],
    jobs: [],
  };
}

import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from '../app.ts';
import { addPeriodontalExam } from './add-periodontal-exam.ts';
import { comparePeriodontalExams } from './compare-periodontal-exams.ts';
import { drawPeriodontalExam, getPeriodontalExam } from './get-periodontal-exam.ts';
import { listPeriodontalExams } from './list-periodontal-exams.ts';

export const periodontics: Module<App> = {
  rpcs: [rpcs(PeriodonticsService, { addPeriodontalExam, listPeriodontalExams, getPeriodontalExam, drawPeriodontalExam, comparePeriodontalExams })],
  personal: [{ table: 'periodontal_exams', ofPatient: 'patient_id = any($ids)', erase: 'delete' }],
};

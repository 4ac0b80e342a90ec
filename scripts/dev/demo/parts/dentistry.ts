// Charts and periodontal exams.
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { DateTime } from 'luxon';
import type { Demo } from '../demo.ts';
import { somePatients } from '../patients.ts';

const CHARTS = 24;
const EXAMS = 8;
const TEETH = [1, 2, 3, 4].flatMap((quadrant) => [1, 2, 3, 4, 5, 6, 7, 8].map((place) => quadrant * 10 + place));
const SITES = ['MV', 'V', 'DV', 'ML', 'L', 'DL'];
const MOLARS = TEETH.filter((tooth) => tooth % 10 >= 5 && tooth % 10 <= 7);
const FRONT = TEETH.filter((tooth) => tooth % 10 <= 3);

type Entry = { teeth: number[]; finding: string; status: string; surfaces?: string[] };
/** Each chart has some of these findings, on different teeth. */
const ENTRIES: Entry[] = [
  { teeth: MOLARS, finding: 'caries', status: 'existing', surfaces: ['O'] },
  { teeth: MOLARS, finding: 'caries', status: 'existing', surfaces: ['O', 'M'] },
  { teeth: MOLARS, finding: 'filling_resin', status: 'treated', surfaces: ['O'] },
  { teeth: MOLARS, finding: 'filling_amalgam', status: 'existing', surfaces: ['O', 'D'] },
  { teeth: MOLARS, finding: 'crown', status: 'planned' },
  { teeth: MOLARS, finding: 'pulpitis', status: 'existing' },
  { teeth: FRONT, finding: 'white_spot', status: 'existing', surfaces: ['V'] },
  { teeth: FRONT, finding: 'veneer', status: 'planned' },
  { teeth: [18, 28, 38, 48], finding: 'missing', status: 'existing' },
  { teeth: [18, 28, 38, 48], finding: 'impacted', status: 'existing' },
];

export async function dentistry(demo: Demo): Promise<void> {
  const patients = await somePatients(demo, CHARTS);
  const charts = demo.client(ChartService, 'dental');
  for (const [number, { id: patientId }] of patients.entries()) {
    const used = new Set<number>();
    for (const [index, { teeth, ...entry }] of ENTRIES.entries()) {
      const tooth = demo.random.pick(teeth);
      if (used.has(tooth) || demo.random.chance(0.2)) continue;
      used.add(tooth);
      await charts.addChartEntry({ patientId, tooth, ...entry }, demo.admin(`entry-${number}-${index}`));
    }
  }
  for (const [number, { id }] of patients.slice(0, EXAMS).entries()) {
    await addExam(demo, id, 55, 0.5, `exam-${number}-first`);
    await addExam(demo, id, 10, 0.2, `exam-${number}-second`); // after scaling it bleeds less
  }
}

async function addExam(demo: Demo, patientId: string, daysAgo: number, severity: number, name: string): Promise<void> {
  const { random } = demo;
  const teeth = TEETH.filter((tooth) => tooth % 10 < 8).map((tooth) => {
    const isPocket = random.chance(severity / 2);
    const sites = SITES.map((site) => ({
      site,
      depth: isPocket ? 4 + random.below(severity > 0.3 ? 4 : 2) : 1 + random.below(3),
      recession: isPocket ? random.below(3) : 0,
      bleeding: random.chance(severity),
      plaque: random.chance(severity),
      suppuration: isPocket && random.chance(0.05),
    }));
    return { tooth, sites, mobility: isPocket && random.chance(0.2) ? 1 : 0 };
  });
  const examDate = DateTime.fromISO(demo.today).minus({ days: daysAgo }).toISODate() ?? '';
  await demo.client(PeriodonticsService, 'dental').addPeriodontalExam({ patientId, examDate, teeth }, demo.admin(name));
}

// `npm run seed`: creates many demo clinics with their history, for trying the product at scale.
import { parseOptions, wholeNumber } from '../help.ts';

const MAX = 500;
const USAGE = `Usage: [SETTING=value …] npm run seed -- --clinics 50

Starts the product as npm start does, creates demo clinics until there are that many (1 to ${MAX}), and stops it. Each clinic has doctors,
patients, a week of appointments and sixty days of history; only the first also has tax documents and conversations. Their sign-ins are printed.
Progress is recorded in DATA_DIR (.data by default), so that an interrupted run continues where it stopped.`;

const { values } = parseOptions({ options: { clinics: { type: 'string' } } }, USAGE);
const count = wholeNumber('--clinics', values.clinics, [1, MAX], USAGE);
// Loaded after the options were parsed, so that --help is immediate.
const { seedClinics } = await import('./demo/seed-clinics.ts');
await seedClinics(count);

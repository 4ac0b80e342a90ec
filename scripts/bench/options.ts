// The flags of `npm run bench`.
import { misused, parseOptions, wholeNumber } from '../help.ts';
import type { Topology } from './children.ts';

export type Options = ReturnType<typeof readOptions>;

const USAGE = `Usage: npm run bench -- [flags]

Starts the product on its own PostgreSQL and NATS, loads it, and measures appointments of a day, slots of a day and
booking, alternating with a floor: one Express process that runs the same statements and nothing else.

  --clinics 1000             clinics to load
  --appointments 1000000     appointments to load, spread over them
  --seconds 4                of each round; every figure is the median of three rounds
  --in-flight 20             concurrent requests
  --topology both            single, distributed or both
  --json <file>              file for the figures (default bench-results/<date>.json)
  --svg <file>               file for the chart (default bench-results/<date>.svg)
  --quick                    50 clinics, 50,000 appointments, two rounds of one second; a chat backlog of 400
  --publish                  with --day: writes bench-results/day.json, day.svg and the tables of docs/scaling.md; published figures of a
                             topology that is not measured are retained

Instead of the comparison with the floor:
  --chat                     measures messages of patients and the bot's answers
  --writes                   measures bookings, status changes, payments and treatment plans with their events, reminders and figures, and
                             the idle product
  --day                      measures the mix of a clinic's day at 25, 50 and 75 % of saturation (20 minutes for each topology)
  --peer directus            compares the list of a day with Directus, if directus is in PATH

  --help                     this text`;

/** The options of this process. An invalid flag ends it with a message and the usage. */
export function readOptions() {
  const flag = { type: 'string' } as const;
  const off = { type: 'boolean', default: false } as const;
  const { values } = parseOptions(
    {
      options: {
        clinics: flag,
        appointments: flag,
        seconds: flag,
        'in-flight': flag,
        topology: { ...flag, default: 'both' },
        json: flag,
        svg: flag,
        ...{ quick: off, chat: off, writes: off, day: off, publish: off },
        peer: flag,
      },
    },
    USAGE,
  );
  const number = (name: 'clinics' | 'appointments' | 'seconds' | 'in-flight', fallback: number) =>
    wholeNumber(`--${name}`, values[name] ?? String(fallback), [1, 100_000_000], USAGE);
  const { topology, json, svg, quick, chat, writes, day, publish, peer } = values;
  if (peer !== undefined && peer !== 'directus') misused('--peer must be directus.', USAGE);
  if (topology !== 'single' && topology !== 'distributed' && topology !== 'both') misused('--topology must be single, distributed or both.', USAGE);
  if ([chat, writes, day, peer !== undefined].filter(Boolean).length > 1) misused('Use only one of --chat, --writes, --day and --peer.', USAGE);
  if (publish && !day) misused('--publish is used with --day.', USAGE);
  const topologies: Topology[] = topology === 'both' ? ['single', 'distributed'] : [topology];
  return {
    ...{ json, svg, quick, chat, writes, day, publish, peer: peer !== undefined },
    clinics: number('clinics', quick ? 50 : 1_000),
    appointments: number('appointments', quick ? 50_000 : 1_000_000),
    topologies,
    pace: { inFlight: number('in-flight', 20), seconds: number('seconds', quick ? 1 : 4), rounds: quick ? 2 : 3 },
  };
}

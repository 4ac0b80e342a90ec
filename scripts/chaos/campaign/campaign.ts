// The fault campaign. Each cycle runs load on a new clinic, causes one fault at a moment that the seed determines, and then checks the invariants.
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../../random.ts';
import { percentile } from '../../statistics.ts';
import { drawFault } from './faults.ts';
import { startInstallation, type Topology } from './installation.ts';
import { examine, examineAudit, SETTLE_SECONDS, settle } from './invariants.ts';
import { type CycleClinic, type Ledger, setUpClinic, work } from './load.ts';

export type Cycle = { seed: number; kind: string; fault: string; ledger: Ledger | undefined; seconds: number; settledSeconds: number; violations: string[] };

type Print = (line: string) => void;
type CampaignOptions = { cycles: number; seed: number; topology: Topology; only?: string[] | undefined; settleSeconds?: number; print: Print };

const LOAD_MS = 2_500;

/** Runs the cycles with the seeds `seed`, `seed + 1`, … A seed alone determines the load and the fault of its cycle, so it can be repeated alone. */
export async function runCampaign({ cycles, seed, topology, only, settleSeconds = SETTLE_SECONDS, print }: CampaignOptions): Promise<Cycle[]> {
  let installation = await start(topology);
  const done: Cycle[] = [];
  let clinics: { clinic: CycleClinic; ledger: Ledger; cycle: Cycle }[] = [];
  try {
    for (let turn = 0; turn < cycles; turn++) {
      const random = seeded(seed + turn);
      const fault = drawFault(random, installation, only);
      const cycle: Cycle = { seed: seed + turn, kind: fault.kind, fault: fault.name, ledger: undefined, seconds: 0, settledSeconds: 0, violations: [] };
      const started = performance.now();
      try {
        const clinic = await setUpClinic(installation);
        const at = random.below(LOAD_MS);
        const load = work(installation, clinic, random, LOAD_MS);
        const struck = sleep(at).then(() => fault.strike(installation));
        await Promise.allSettled([load, struck]);
        await struck;
        const ledger = await load;
        cycle.ledger = ledger;
        clinics.push({ clinic, ledger, cycle });
        const { seconds, left } = await settle(installation, settleSeconds);
        cycle.settledSeconds = seconds;
        cycle.violations.push(
          ...left.map((one) => `not done after ${settleSeconds} s: ${one}`),
          ...(await examine(installation, clinic, ledger)),
          ...(await examineAudit(installation)),
        );
      } catch (error) {
        cycle.violations.push(`the cycle could not be completed: ${(error as Error).message}`);
      }
      cycle.seconds = (performance.now() - started) / 1_000;
      done.push(cycle);
      print(describe(cycle));
      if (cycle.violations.length === 0) continue;
      // The next cycle starts with a new installation.
      if (process.env.LOG_LEVEL) print(installation.output());
      await installation.stop();
      installation = await start(topology);
      clinics = [];
    }
    // The invariants of each cycle must still hold after all later cycles.
    for (const { clinic, ledger, cycle } of clinics) {
      cycle.violations.push(...(await examine(installation, clinic, ledger)).map((one) => `at the end: ${one}`));
    }
  } finally {
    await installation.stop();
  }
  return done;
}

/** Retries a failed start once, because another program may have taken a port. */
const start = (topology: Topology) => startInstallation(topology).catch(() => startInstallation(topology));

function writes({ ledger }: Cycle): Record<string, number> {
  const all = ledger ? [...ledger.bookings, ...ledger.payments, ...ledger.waiting, ...ledger.imports, ledger.order] : [];
  const count = (outcome: string) => all.filter((write) => write.outcome === outcome).length;
  return { acknowledged: count('acknowledged'), unknown: count('unknown'), refused: count('refused'), messages: (ledger?.chats.length ?? 0) * 3 };
}

function describe(cycle: Cycle): string {
  const { acknowledged, unknown, refused, messages } = writes(cycle);
  const errors = [...(cycle.ledger?.answers ?? [])].filter(([seen]) => !/ 2\d\d$/.test(seen)).map(([seen, count]) => `${seen} ×${count}`);
  return [
    `seed ${cycle.seed}: ${cycle.fault}; ${cycle.seconds.toFixed(1)} s; ${acknowledged} acknowledged, ${unknown} unknown, ${refused} refused, ${messages} messages; ` +
      `settled after ${cycle.settledSeconds.toFixed(1)} s; ${cycle.violations.length === 0 ? 'all invariants hold' : 'VIOLATED'}`,
    ...(errors.length > 0 ? [`  ${errors.join(', ')}`] : []),
    ...cycle.violations.map((violation) => `  ${violation}`),
  ].join('\n');
}

/** A table in Markdown: one row for each kind of fault, and the violations by seed. */
export function reportCampaign(cycles: Cycle[], topology: Topology): { lines: string[]; passed: boolean } {
  const rows = [...Map.groupBy(cycles, ({ kind }) => kind)].toSorted().map(([kind, some]) => {
    const sums = some.map(writes).reduce((all, one) => Object.fromEntries(Object.entries(one).map(([name, n]) => [name, n + (all[name] ?? 0)])), {});
    const settled = [0.5, 1].map((share) =>
      percentile(
        some.map((one) => one.settledSeconds),
        share,
      ).toFixed(1),
    );
    const violated = some.filter(({ violations }) => violations.length > 0);
    const cells = [kind, some.length, sums.acknowledged, sums.unknown, sums.messages, ...settled, violated.length];
    return `| ${cells.join(' | ')} |`;
  });
  const failed = cycles.filter(({ violations }) => violations.length > 0);
  return {
    passed: failed.length === 0,
    lines: [
      `${cycles.length} cycles, seeds ${cycles[0]?.seed} to ${cycles.at(-1)?.seed}, topology ${topology}`,
      '',
      '| fault | cycles | acknowledged | unknown | chat messages | settled (s): median | slowest | cycles with violations |',
      '|---|---|---|---|---|---|---|---|',
      ...rows,
      ...(failed.length > 0 ? ['', ...failed.flatMap(({ seed, fault, violations }) => violations.map((one) => `- seed ${seed}, ${fault}: ${one}`))] : []),
    ],
  };
}

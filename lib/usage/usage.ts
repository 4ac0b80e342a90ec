// Counts the use of the product by clinic and day in memory, and reports it to identity every few seconds and when the process ends. If a process is
// killed, its counts since the last report are lost.
import { randomUUID } from 'node:crypto';
import type { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import type { Client } from '@connectrpc/connect';
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { serviceCaller } from '../rpc/caller.ts';
import { callAs } from '../rpc/context.ts';
import type { Log } from '../telemetry/log.ts';

type Use = { requests?: number; messages?: number; assistantTokens?: number };
type Counted = Record<keyof Use, bigint> & { clinicId: string; day: string };

const EVERY_MS = 5_000;
const MAX_COUNTED = 5_000;

// The services that run in one process share these counts.
const counted = new Map<string, Counted>();

/** Adds to the counts of the clinic on the UTC day of `now`. */
export function countUse(clinicId: string, now: Date, { requests = 0, messages = 0, assistantTokens = 0 }: Use): void {
  const day = now.toISOString().slice(0, 10);
  const key = `${day} ${clinicId}`;
  const one = counted.get(key) ?? { clinicId, day, requests: 0n, messages: 0n, assistantTokens: 0n };
  one.requests += BigInt(requests);
  one.messages += BigInt(messages);
  one.assistantTokens += BigInt(assistantTokens);
  counted.set(key, one);
}

/** Reports the counts until stopped. stop() reports the rest. */
export function startUsageReports({ reports, name, log }: { reports: Client<typeof UsageReportService>; name: string; log: Log }): Stoppable {
  // Sent again, with the same id, until it succeeds: identity recognises by the id a report that it has already added.
  let report: ReturnType<typeof takeReport>;

  /** Sends one report. Returns true when counts are left. */
  async function send(): Promise<boolean> {
    report ??= takeReport();
    if (!report) return false;
    await reports.addUsage(report, callAs(serviceCaller(name, report.id)));
    report = undefined;
    return counted.size > 0;
  }

  const options = { log, failure: 'the use of clinics could not be reported; it is reported later', everyMs: EVERY_MS, firstMs: EVERY_MS };
  const loop = startLoop(options, send);
  return {
    async stop() {
      await loop.stop();
      try {
        while (await send());
      } catch (error) {
        log.warn({ err: error }, 'the use of clinics in the last seconds could not be reported and is lost');
      }
    },
  };
}

function takeReport() {
  const taken = [...counted].slice(0, MAX_COUNTED);
  for (const [key] of taken) counted.delete(key);
  return taken.length === 0 ? undefined : { id: randomUUID(), counted: taken.map(([, one]) => one) };
}

// GET /status, without sign-in: which parts of the product work. Each service is checked at most every ten seconds, however many requests arrive.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { StatusService } from '@clinic/proto/common/v1/status_pb.js';
import express, { type Router } from 'express';
import { refuseQuery } from '../http/query.ts';
import { call, type Transports } from '../http/rpc.ts';
import { sendError, sendJson, serveGet } from '../http/send.ts';
import type { Operating } from '../limits/operating-state.ts';

/** The public name of each part, and the service that provides it. */
const COMPONENTS = {
  accounts: 'identity',
  appointments: 'scheduling',
  dental: 'dental',
  chat: 'messaging',
  billing: 'billing',
  registration: 'platform',
} as const;

const MAX_AGE_MS = 10_000;
const TIMEOUT_MS = 2_000;

type StatusOptions = { transports: Transports; operating: Operating; clock: Clock; log: Log };

export function statusPage({ transports, operating, clock, log }: StatusOptions): Router {
  let checked: { at: number; components: Promise<{ name: string; status: string }[]> } | undefined;

  async function check(service: string): Promise<string> {
    return call(transports(service), StatusService.method.checkStatus, {}, serviceCaller('gateway', ''), { timeoutMs: TIMEOUT_MS }).then(
      () => 'operational',
      (error) => (isReason(error, 'UNAVAILABLE') ? 'outage' : 'operational'), // another error is a response: an earlier release does not have this RPC
    );
  }

  function checkAll() {
    const now = performance.now();
    if (!checked || now - checked.at > MAX_AGE_MS) {
      const components = Object.entries(COMPONENTS).map(async ([name, service]) => ({ name, status: await check(service) }));
      checked = { at: now, components: Promise.all(components) };
    }
    return checked.components;
  }

  const router = express.Router({ caseSensitive: true });
  serveGet(router, '/status', log, async (request, response) => {
    try {
      refuseQuery(request.url);
      const components = await checkAll();
      const maintenance = operating.maintenance();
      const failed = components.filter(({ status }) => status === 'outage').length;
      const status = failed === components.length ? 'outage' : failed > 0 ? 'partial_outage' : maintenance ? 'maintenance' : 'operational';
      const shown = maintenance && { until: toDate(maintenance.until), message: maintenance.message };
      const body = JSON.stringify({ status, components, maintenance: shown ?? null, at: clock.now() });
      sendJson(request, response, 200, body, { 'Cache-Control': `public, max-age=${MAX_AGE_MS / 1000}` });
    } catch (error) {
      sendError(request, response, error, log);
    }
  });
  return router;
}

// Each request of the sample begins a trace. A client's own traceparent is not taken over: whoever sent one could have
// everything recorded.
import type { Tracing } from '@clinic/lib/telemetry/tracing.ts';
import type { RequestHandler } from 'express';
import { known, requestIdOf } from './exchange.ts';

export function traceRequests(trace: Tracing): RequestHandler {
  return (request, response, next) => {
    const method = known(request.method);
    const span = trace.begin(method, 'server');
    if (!span) return next();
    response.locals.traceId = span.traceId;
    response.once('close', () => {
      const route = (response.locals.route as string | undefined) ?? 'unknown';
      const status = response.statusCode;
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'clinic.request_id': requestIdOf(response),
      };
      span.end(`${method} ${route}`, attributes, status >= 500);
    });
    span.run(next);
  };
}

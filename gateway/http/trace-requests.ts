// Each request that the sampler selects begins a trace. A traceparent from the client is ignored: otherwise anyone could have every request
// recorded.
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, startSpan, trace } from '@clinic/lib/telemetry/tracing.ts';
import type { NextFunction, Request, Response } from 'express';
import { clinicIdOf, knownMethod, requestIdOf } from './request-log.ts';

export function traceRequests(request: Request, response: Response, next: NextFunction): void {
  const method = knownMethod(request.method);
  const span = startSpan(method, SpanKind.SERVER, {}, ROOT_CONTEXT);
  if (!span.isRecording()) {
    next();
    return;
  }
  response.locals.traceId = span.spanContext().traceId;
  response.once('close', () => {
    const route = (response.locals.route as string | undefined) ?? 'unknown';
    const status = response.statusCode;
    span.updateName(`${method} ${route}`).setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'clinic.request_id': requestIdOf(response),
      'clinic.id': clinicIdOf(response),
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  context.with(trace.setSpan(ROOT_CONTEXT, span), next);
}

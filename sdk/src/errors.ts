import type { components } from './gen/schema.ts';

type Body = components['schemas']['Error'];

/** An error code of the API; UNKNOWN if the response did not come from the API, but for example from a proxy. */
export type ErrorCode = Body['code'] | 'UNKNOWN';

/** An error response of the API. */
export class ClinicError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ClinicError';
  readonly status: number;
  readonly code: Code;
  /** With VALIDATION_ERROR: the path of each invalid value and what is wrong with it. */
  readonly details: NonNullable<Body['details']>;
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | null;
  /** Seconds to wait before another attempt, if the API states them. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, body: unknown) {
    const { error, code, details } = (typeof body === 'object' && body !== null ? body : {}) as Partial<Body>;
    super(error ?? `Status ${response.status}`);
    this.status = response.status;
    this.code = (code ?? 'UNKNOWN') as Code;
    this.details = details ?? [];
    this.requestId = response.headers.get('X-Request-Id');
    this.retryAfter = retryAfterOf(response);
  }

  /** Whether `thrown` is a ClinicError, with one of `codes` if any are given. */
  static is<Code extends ErrorCode = ErrorCode>(thrown: unknown, ...codes: Code[]): thrown is ClinicError<Code> {
    return thrown instanceof ClinicError && (codes.length === 0 || (codes as ErrorCode[]).includes(thrown.code));
  }
}

export function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

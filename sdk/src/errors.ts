import type { components } from './gen/schema.ts';

type Body = components['schemas']['Error'];

/** A code of the API; UNKNOWN when something between here and the API answered, such as a proxy. */
export type ErrorCode = Body['code'] | 'UNKNOWN';

/** What the API answered instead of a result. */
export class ClinicError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ClinicError';
  readonly status: number;
  readonly code: Code;
  /** With VALIDATION_ERROR: each invalid value, by its path. */
  readonly details: NonNullable<Body['details']>;
  /** Of the request, for the logs of the service. */
  readonly requestId: string | null;
  /** Seconds to wait before another attempt, where the API names them. */
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

  /** Whether a thrown value is such an error, with one of the codes if any are given. */
  static is<Code extends ErrorCode = ErrorCode>(thrown: unknown, ...codes: Code[]): thrown is ClinicError<Code> {
    return thrown instanceof ClinicError && (codes.length === 0 || (codes as ErrorCode[]).includes(thrown.code));
  }
}

export function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

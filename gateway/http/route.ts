// What a row of a route table says. Rows are data: everything that the gateway does for a route is read from here, and
// so is its page in the OpenAPI document.
import type { DescMethodServerStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import type { SetCookie } from 'cookie';
import type { ZodObject } from 'zod';

/** Who may call: anyone, a signed-in user, a user with app_role admin, an operator with an X-Admin-Key. */
export type RouteAccess = 'public' | 'user' | 'admin' | 'superadmin';

/** Groups of the rate limits (limits.ts). */
export type RateGroup = 'auth' | 'demo' | 'feed' | 'api';

export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The whole path as Express reads it. */
  path: string;
  /** One whose answer is a stream gives a file in pieces, as FileChunk (custom/stream-file.ts), or server-sent events (custom/event-stream.ts). */
  rpc: DescMethodUnary | DescMethodServerStreaming;
  access: RouteAccess;
  rate: RateGroup;
  /** A few words for the reference; the RPC's own comment follows them there. */
  summary: string;
  /** Feature that the plan must allow, else PLAN_UPGRADE_REQUIRED. */
  feature?: string;
  /** Only for clinics of type dental, else DENTAL_CLINIC_REQUIRED. */
  dental?: true;
  /** Keys are spelled as the interface shows them; each must be a field of the RPC's request. */
  request?: { params?: ZodObject; query?: ZodObject; body?: ZodObject; cookies?: ZodObject; raw?: RawBody; upload?: Upload };
  /** Fields that are filled from headers of the request, as far as it has them: field → header. */
  headers?: Record<string, string>;
  /** The reply comes in pages of `content`, which are sent on as one file of this type and name (custom/download.ts). */
  download?: { type: string; filename: string };
  /** Answers 302 to the URL in this field of the reply. */
  redirect?: string;
  /** Answer to an id that is no UUID: the same sentence as for one that does not exist. */
  notFound?: string;
  /** Status of success, 200 unless told. */
  status?: 200 | 201;
  /** Shows this field of the reply alone, for the lists that are bare arrays. */
  unwrap?: string;
  /** Honours Idempotency-Key. */
  creates?: true;
  /** What can go wrong here beyond what access, rate and validation bring to every route. */
  errors?: Reason[];
  /** A body that works, for the reference. */
  example?: Record<string, unknown>;
  /** A cookie that the reply sets. */
  cookie?: (reply: never) => SetCookie;
};

/** A body that is a file: its bytes fill `field` of the RPC's request, its media type `typeField`. */
export type RawBody = { types: readonly string[]; maxBytes: number; field: string; typeField?: string };

/**
 * A body that is a file of a size that nobody wants in memory, as it is or as a part of a form. It goes on in pieces as it
 * comes (custom/upload.ts): `begin` takes the query and gives an id, `append` takes the pieces, the row's own RPC ends it.
 */
export type Upload = { type: string; maxBytes: number; begin: DescMethodUnary; append: DescMethodUnary };

/** The routes below one path, in the order in which they match. */
export type Area = { prefix: string; tag: string; about: string; routes: Route[] };

export const PLANS = ['basic', 'pro', 'clinica', 'trial', 'forever_free'] as const;

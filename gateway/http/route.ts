// The rows of the route tables. Rows are data: a row and the contract of its RPC determine everything that the gateway does for a route, and
// its entry in the OpenAPI document.
import type { DescMethodServerStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import type { Resource, Scope } from '@clinic/lib/formats/scopes.ts';
import type { SetCookie } from 'cookie';
import type { ZodObject, ZodRawShape } from 'zod';
import type { Deprecation } from './deprecation.ts';

/** Who may call: anyone, a signed-in user, a user with app_role admin, an operator with an X-Admin-Key. */
export type RouteAccess = 'public' | 'user' | 'admin' | 'superadmin';

/** Groups of the rate limits (limits/limits.ts). */
export type RateGroup = 'auth' | 'session' | 'recovery' | 'demo' | 'feed' | 'booking' | 'booking_view' | 'api';

/** Restrictions by role that a clinic may switch on (PATCH /api/clinics/features). */
export type Guard = 'voids_need_admin' | 'exports_need_admin' | 'staff_creation_needs_admin' | 'revenue_hidden_from_receptionists';

/** A route as a file in routes/ declares it. */
export type Row = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The whole path in Express syntax. A parameter is a UUID unless `params` says otherwise. */
  path: string;
  /** An RPC that streams returns either a file as FileChunk (pipeline/file-responses.ts) or server-sent events (pipeline/event-stream.ts). */
  rpc: DescMethodUnary | DescMethodServerStreaming;
  /**
   * The resource in the scopes of integration keys: keys need `<scope>:read` for a GET and `<scope>:write` for other methods. A GET whose response
   * lets anyone who has it change something names its whole scope. With 'none' keys cannot use the route; they can never use routes for admins.
   */
  scope: Resource | Scope | 'none';
  /** 'api' by default. */
  rate?: RateGroup;
  /** Title in the reference. Default: the first clause of the RPC's comment. */
  summary?: string;
  /** Id of the operation in the reference, needed if several routes call the RPC or it completes an upload. Default: the name of the RPC. */
  operation?: string;
  /** Feature that the plan must include (PLAN_UPGRADE_REQUIRED) and that the clinic must not have switched off (FEATURE_DISABLED). */
  feature?: string | undefined;
  /** Users with another role are refused with FORBIDDEN, except with `self` by themselves: it is the parameter of the path with the id of a user. */
  roles?: { allowed: readonly string[]; self?: string };
  /** If the clinic has switched on one of these, some roles are refused with FORBIDDEN. */
  guards?: Guard[];
  /** Open to users who still have to set up a required second factor; other routes refuse them with MFA_SETUP_REQUIRED. */
  withoutMfa?: true;
  /** A change that is possible during maintenance and while the clinic is read-only; other changes are refused with READ_ONLY. */
  whileReadOnly?: boolean;
  /** Only for clinics of type dental; others are refused with DENTAL_CLINIC_REQUIRED. */
  dental?: true;
  /** Schemas of the parts of the request. Keys are spelled as in the public API; each must be a field of the RPC's request. */
  params?: ZodRawShape;
  query?: ZodRawShape;
  body?: ZodRawShape;
  cookies?: ZodRawShape;
  raw?: RawBody;
  upload?: Upload;
  /** Fields of the RPC's request that are filled from request headers: field → header. */
  headers?: Record<string, string>;
  /** The RPC returns pages of `content`, which are sent as one CSV file of this name (pipeline/file-responses.ts). */
  download?: string;
  /** Responds 302 to the URL in this field of the reply. */
  redirect?: string;
  /** Message of NOT_FOUND, which is also returned for a malformed path parameter. */
  notFound?: string | undefined;
  /** Status of success. Default: 201 if the row `creates`, otherwise 200. */
  status?: 200 | 201 | 202;
  /** Responds 200 instead of `status` when this field of the reply is true. */
  existing?: string;
  /** Returns only this field of the reply, for lists that are bare arrays. */
  unwrap?: string;
  /** Honours Idempotency-Key. */
  creates?: true;
  /** Errors beyond those that follow from access, rate limit, path and request schemas (openapi/reasons.ts). */
  errors?: Reason[];
  /** A valid body, for the reference and the tests. */
  example?: Record<string, unknown>;
  /** The route will be removed. Its responses and the reference say so. */
  deprecated?: Deprecation;
  /** Cookies that the reply sets. */
  cookie?: (reply: never) => SetCookie[];
  /**
   * A request with a device cookie is not refused when its address has used up the rate limit. Instead this field of the RPC's request is true,
   * and the service decides whether it knows the device.
   */
  beyondLimit?: string;
  /** A request beyond the rate limit is performed, and refused only if it fails. */
  performedBeyondLimit?: true;
};

/** A body that is a file: its bytes and its media type fill `content` and `content_type` of the RPC's request. */
export type RawBody = { types: readonly string[]; maxBytes: number };

/**
 * A body that is a file too large for memory, on its own or as a part of a form. It is passed on in chunks while it arrives
 * (pipeline/upload.ts): `begin` takes path and query and returns an id, `append` takes the chunks, and the RPC of the row completes the upload.
 */
export type Upload = {
  type: string;
  maxBytes: number;
  begin: DescMethodUnary;
  append: DescMethodUnary;
  /** The field of `begin` that receives the file name from a form. */
  nameField?: string;
};

type RequestSchemas = {
  params: ZodObject | undefined;
  query: ZodObject | undefined;
  body: ZodObject | undefined;
  cookies: ZodObject | undefined;
  raw: RawBody | undefined;
  upload: Upload | undefined;
};

/** A row with its defaults and the access that the contract of its RPC states. `scope` is undefined if integration keys cannot use the route. */
export type Route = Omit<Row, keyof RequestSchemas | 'scope'> & {
  access: RouteAccess;
  scope: Scope | undefined;
  rate: RateGroup;
  status: 200 | 201 | 202;
  request: RequestSchemas;
};

/** The routes below one path, in the order in which they match. */
export type Area = { prefix: string; tag: string; about: string; routes: Route[] };

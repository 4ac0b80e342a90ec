// The headers with which a process authenticates its calls to other processes, and how the called process checks them (docs/decisions/tls.md).
import { type NamedKey, SettingsError } from '../config/config.ts';
import { fail } from '../errors/errors.ts';
import { isLoopback, isLoopbackAddress } from '../formats/loopback.ts';
import type { Log } from '../telemetry/log.ts';
import { createAssertionSigner, createAssertionVerifier, type SignAssertion, type VerifyAssertion } from './assertion.ts';
import { type Caller, serviceCaller } from './caller.ts';
import { type NoteSkew, watchSkew } from './clock-skew.ts';
import { type Hop, LIFETIME_MS, signHop, verifyHop } from './hop.ts';
import { signPreviousToken, verifyPreviousToken } from './previous-token.ts';
import { type Certificates, openCertificates, type TlsSettings } from './tls.ts';

const HOP = 'x-clinic-hop';
const ASSERTION = 'x-clinic-assertion';
const PREVIOUS = 'x-clinic-caller';

/** Tokens are accepted for this long after they expire, since the clocks of two machines may differ. */
const TOLERANCE_MS = 60_000;

export type Credentials = {
  /** Name of this process. */
  name: string;
  callKeys: Map<string, NamedKey[]>;
  /** Only for the gateway. */
  sign?: SignAssertion;
  /** Only for services. */
  verify?: VerifyAssertion;
  noteSkew?: NoteSkew;
  tls?: Certificates | undefined;
  /** INTERNAL_KEYS, set only during an upgrade. */
  previous?: NamedKey[] | undefined;
};

type CredentialSettings = TlsSettings & {
  NODE_ENV: string;
  CALL_KEYS: Map<string, NamedKey[]>;
  ASSERTION_KEYS?: NamedKey[];
  ASSERTION_PUBLIC_KEYS?: NamedKey[];
  INTERNAL_KEYS?: NamedKey[] | undefined;
};

/** The credentials of the process `name`, which listens on `host` and calls `addresses`. Throws a SettingsError. */
export function openCredentials(name: string, settings: CredentialSettings, { host, addresses }: { host: string; addresses: string[] }, log: Log): Credentials {
  const tls = openCertificates(name, settings, log);
  const isLocal = isLoopback(host) && addresses.every(isLoopbackAddress);
  if (settings.NODE_ENV === 'production' && !tls && !settings.INTERNAL_KEYS && !isLocal)
    throw new SettingsError('Calls between processes that leave this machine need TLS: set TLS_CA, TLS_CERT and TLS_KEY, whose files npm run secrets creates.');
  if (settings.INTERNAL_KEYS) log.warn('INTERNAL_KEYS is set: tokens of the previous release are accepted; remove it when all processes run this release');
  return {
    name,
    callKeys: settings.CALL_KEYS,
    tls,
    noteSkew: watchSkew(log),
    previous: settings.INTERNAL_KEYS,
    ...(settings.ASSERTION_KEYS && { sign: createAssertionSigner(settings.ASSERTION_KEYS) }),
    ...(settings.ASSERTION_PUBLIC_KEYS && { verify: createAssertionVerifier(settings.ASSERTION_PUBLIC_KEYS) }),
  };
}

/** The assertions with which callers were received. Calls on behalf of such a caller pass its assertion on. */
const received = new WeakMap<Caller, string>();

export type OutgoingCall = { callee: string; method: string; timeoutMs: number };

/** The headers that identify the calling process, and the caller on whose behalf it calls. */
export function callerHeaders(
  caller: Caller,
  { callee, method, timeoutMs }: OutgoingCall,
  { name, callKeys, sign, previous }: Credentials,
): [string, string][] {
  const now = Date.now();
  const headers: [string, string][] = previous ? [[PREVIOUS, signPreviousToken(caller, previous, now)]] : [];
  const assertion = caller.kind === 'service' ? '' : (received.get(caller) ?? sign?.(caller, timeoutMs));
  if (assertion === undefined) return previous ? headers : fail('INTERNAL', `${name} cannot call on behalf of a caller that the gateway has not asserted`);
  const { requestId, clinic } = caller;
  const hop: Hop = { from: name, requestId, ...(assertion === '' && clinic && { clinic }) };
  headers.push([HOP, signHop(callKeys.get(callee) ?? [], hop, { callee, method, assertion }, now)]);
  if (assertion !== '') headers.push([ASSERTION, assertion]);
  return headers;
}

/** A caller, and the process `from` that calls on its behalf; undefined for tokens of the previous release, which do not name it. */
export type ParsedCaller = { caller: Caller; from: string | undefined };

export type IncomingCall = {
  header: (name: string) => string | undefined;
  method: string;
  /** Names in the certificate of the peer; undefined without TLS. */
  peer: string[] | undefined;
};

/**
 * Reverses callerHeaders(). Throws UNAUTHENTICATED, or UNAVAILABLE for tokens that are authentic but too old, which means that the clocks of the
 * processes differ.
 */
export function parseCaller({ header, method, peer }: IncomingCall, credentials: Credentials): ParsedCaller {
  const parsed =
    header(HOP) === undefined && credentials.previous
      ? previousCaller(header(PREVIOUS) ?? '', credentials.previous)
      : currentCaller(header, method, credentials);
  const sender = parsed?.from ?? (parsed?.caller.kind === 'service' ? parsed.caller.id : undefined);
  if (!parsed || (peer && sender !== undefined && !peer.includes(sender)))
    fail('UNAUTHENTICATED', `Send a valid ${HOP}, and an ${ASSERTION} unless a service acts for itself: npm run caller-token prints both`);
  return parsed;
}

function currentCaller(header: IncomingCall['header'], method: string, { name, callKeys, verify, noteSkew }: Credentials): ParsedCaller | undefined {
  const assertion = header(ASSERTION) ?? '';
  const hop = verifyHop(header(HOP) ?? '', callKeys, { callee: name, method, assertion });
  const parsed = assertion === '' ? undefined : verify?.(assertion);
  if (!hop || (assertion !== '' && (!parsed || parsed.asserted.kind === 'service'))) return undefined;
  const { from, requestId, clinic } = hop;
  const now = Date.now();
  noteSkew?.(from, hop.expires - LIFETIME_MS - now);
  if (now > Math.min(hop.expires, parsed?.expires ?? hop.expires) + TOLERANCE_MS)
    fail('UNAVAILABLE', `The token of ${from} is too old: its clock, or that of the gateway, differs from the clock of ${name}`);
  if (!parsed) return { caller: { ...serviceCaller(from, requestId), ...(clinic && { clinic }) }, from };
  const caller: Caller = { ...parsed.asserted, requestId };
  received.set(caller, assertion);
  return { caller, from };
}

function previousCaller(token: string, keys: NamedKey[]): ParsedCaller | undefined {
  const caller = verifyPreviousToken(token, keys, Date.now());
  return caller && { caller, from: undefined };
}

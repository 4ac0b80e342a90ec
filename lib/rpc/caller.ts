// The caller of an RPC: a user, an integration key of a clinic, an operator or an anonymous caller, as the gateway asserts after its access check
// (assertion.ts), or a service that acts for itself.

export type Caller = {
  kind: 'anonymous' | 'user' | 'integration_key' | 'operator' | 'service';
  /** UUID of the user or the key, name of the operator key, or name of the service; '' for anonymous. */
  id: string;
  requestId: string;
  ip: string;
  /** Present for users and keys, and for a service that acts for one clinic. */
  clinic?: CallerClinic;
  /** UUID of the user's session, when the token names one. */
  sessionId?: string;
  /** admin, doctor or receptionist; '' unless the caller is a user. */
  role: string;
};

/** The clinic, with the data that the access check has read, so that services need not look them up. */
export type CallerClinic = {
  id: string;
  plan: string;
  /** IANA zone. */
  timezone: string;
  /** ISO 3166-1 alpha-2, for parsing local phone numbers. */
  country: string;
  /** Active doctors that the plan allows; absent means unlimited. */
  doctorLimit?: number;
};

export function serviceCaller(name: string, requestId: string): Caller {
  return { kind: 'service', id: name, requestId, ip: '', role: '' };
}

/** A user of a clinic, or a program of the clinic with an integration key. */
export const isOfClinic = ({ kind }: Pick<Caller, 'kind'>) => kind === 'user' || kind === 'integration_key';

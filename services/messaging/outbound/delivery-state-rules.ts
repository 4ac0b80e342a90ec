// The state of an outbound message only moves forward, in whatever order statuses arrive.

export type OutboundState = 'queued' | 'sending' | 'uncertain' | 'sent' | 'delivered' | 'read' | 'failed' | 'dead' | 'dropped';

// delivered may follow failed, since providers report both; read is final.
const RANK: Record<OutboundState, number> = { queued: 0, sending: 0, uncertain: 0, dropped: 0, sent: 1, dead: 2, failed: 2, delivered: 3, read: 4 };

/** The new state, or undefined when the status changes nothing. */
export function advance(state: OutboundState, status: 'sent' | 'delivered' | 'read' | 'failed'): OutboundState | undefined {
  // `dead` is the state of messages that this service gave up: any status of the provider is more reliable.
  const rank = state === 'dead' ? 0 : RANK[state];
  return RANK[status] > rank ? status : undefined;
}

// The states of an outbound message move forward only, in whichever order the news of them come.

export type OutboundState = 'queued' | 'sending' | 'uncertain' | 'sent' | 'delivered' | 'read' | 'failed' | 'dead' | 'dropped';

// delivered may follow failed, as some providers tell it; read is the end.
const RANK: Record<OutboundState, number> = { queued: 0, sending: 0, uncertain: 0, dropped: 0, sent: 1, dead: 2, failed: 2, delivered: 3, read: 4 };

/** The state after the news, or undefined when they change nothing. */
export function advance(state: OutboundState, news: 'sent' | 'delivered' | 'read' | 'failed'): OutboundState | undefined {
  // dead was our own verdict: any word of the provider knows better.
  const rank = state === 'dead' ? 0 : RANK[state];
  return RANK[news] > rank ? news : undefined;
}

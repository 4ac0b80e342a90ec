// The state of a contact from the events of its message. Events may arrive late, twice and in any order; the state only advances.

const ORDER = ['queued', 'sent', 'delivered', 'read', 'responded'];

export type ContactState = {
  status: string;
  failure: string | null;
  /** Null unless the message failed, and in rows of earlier releases. */
  failed_at: Date | null;
  /** When the message was first sent. */
  sent_at: Date | null;
  /** Null unless an event said that the message was sent, and in rows of earlier releases. */
  last_sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  responded_at: Date | null;
};
export type MessageEvent = { status: 'sent' | 'delivered' | 'read' | 'responded' | 'failed' | 'opted_out'; at: Date; failure?: string };

/**
 * Failures that count as attempts although the message was not sent: the patient may have received it, or the phone cannot or does not want to receive it.
 * After any other, such as a number that is disconnected or a template that is not approved, the clinic corrects the cause.
 */
export const COUNTED_FAILURES = ['no_answer', '131026', '131049', '131050', '131062'];

/** Whether a status of an outbound message changes the contact. */
export const isMessageStatus = (status: string): status is 'sent' | 'delivered' | 'read' | 'failed' => ['sent', 'delivered', 'read', 'failed'].includes(status);

/**
 * The contact after an event. A message that was read was also delivered, and one that was answered was also read. The later of a sending and a failure
 * applies, since a message that was given up may be sent again.
 */
export function applyMessageEvent(contact: ContactState, event: MessageEvent): ContactState {
  const { status, at } = event;
  if (status === 'failed') {
    if (!['queued', 'sent', 'failed'].includes(contact.status)) return contact;
    if ((contact.failed_at ?? at) > at || (contact.last_sent_at ?? contact.sent_at ?? at) > at) return contact;
    return { ...contact, status: 'failed', failure: event.failure || 'unknown', failed_at: at };
  }
  const reached = status === 'opted_out' ? 'responded' : status;
  const from = ORDER.indexOf(reached);
  const stamps = {
    sent_at: from >= 1 ? earliest(contact.sent_at, at) : contact.sent_at,
    last_sent_at: status === 'sent' ? latest(contact.last_sent_at, at) : contact.last_sent_at,
    delivered_at: from >= 2 ? earliest(contact.delivered_at, at) : contact.delivered_at,
    read_at: from >= 3 ? earliest(contact.read_at, at) : contact.read_at,
    responded_at: from >= 4 ? earliest(contact.responded_at, at) : contact.responded_at,
  };
  if (contact.status === 'opted_out' || status === 'opted_out') return { ...contact, ...stamps, status: 'opted_out', failure: null, failed_at: null };
  if (status === 'sent' && contact.failed_at && contact.failed_at >= at) return { ...contact, ...stamps };
  // A delivery receipt overrides an earlier failure.
  const furthest = Math.max(from, contact.status === 'failed' ? 0 : ORDER.indexOf(contact.status));
  return { ...contact, ...stamps, status: ORDER[furthest] ?? contact.status, failure: null, failed_at: null };
}

const earliest = (known: Date | null, at: Date) => (known && known <= at ? known : at);
const latest = (known: Date | null, at: Date) => (known && known >= at ? known : at);

// Builds replies within the limits of the provider.
import type { Choice } from '../../conversations/message-content-rules.ts';
import type { HandoverReason } from '../../conversations/takeover-rules.ts';
import { LIMITS, type Outgoing, truncate } from '../../outbound/outgoing-content-rules.ts';
import { type ButtonAction, encodeButtonId, type MenuEntry } from './button-ids.ts';
import type { Context, Session, Step, TurnResult } from './session.ts';
import type { TextKey } from './texts.ts';

export const MOST_ROWS = LIMITS.rows;

/** The preface, then the question. The preface is truncated if both together are too long. */
export const withPreface = (preface: string | undefined, question: string) =>
  preface ? `${truncate(preface, LIMITS.body - question.length - 2)}\n\n${question}` : question;

export const withoutPreface = ({ preface: _, ...c }: Context): Context => c;

const withoutWish = ({ wish: _, ...session }: Session): Session => session;

/** Replies with the preface and a question, and waits for its answer. */
export const askAt = (c: Context, step: Step, reply: Outgoing): TurnResult => ({
  session: step.name === 'idle' ? { ...withoutWish(c.session), step } : { ...c.session, step },
  reply: { ...reply, text: withPreface(c.preface, reply.text) },
});

/** Replies without waiting for an answer. */
export const finish = (c: Context, reply: Outgoing): TurnResult => ({ session: { ...withoutWish(c.session), step: { name: 'idle' } }, reply });

/** The result of a turn in which a request of the patient is carried out or dropped. An acknowledgement of it answers no older question. */
export const asDone = (c: Context, result: TurnResult): TurnResult => ({ ...result, session: { ...result.session, doneAt: c.facts.now.toISOString() } });

export const textReply = (text: string): Outgoing => ({ text });

/** A text with up to three buttons, each a menu entry, or an action and the key of its title. */
export const buttonsReply = (c: Context, text: string, ...buttons: (MenuEntry | [action: ButtonAction, title: TextKey])[]): Outgoing => ({
  text,
  choices: buttons.map((button) => {
    const [action, title] = typeof button === 'string' ? [{ kind: button }, button] : button;
    return { id: encodeButtonId(action), title: c.say(title) };
  }),
});

export type ActionRow = Omit<Choice, 'id'> & { action: ButtonAction };

/** A text with a list of up to ten rows, which the button opens. A title that is too long is repeated in the description. */
export function listReply(c: Context, text: string, button: TextKey, rows: ActionRow[]): Outgoing {
  const { rowTitle, rowText } = LIMITS;
  const choices = rows.slice(0, MOST_ROWS).map(({ action, title, description }) => {
    const whole = [title.length > rowTitle && title, description].filter(Boolean).join(', ');
    return { id: encodeButtonId(action), title: truncate(title, rowTitle), ...(whole && { description: truncate(whole, rowText) }) };
  });
  return { text, choices, listButton: c.say(button) };
}

export const MENU = ['do_book', 'do_mine', 'do_move', 'do_cancel', 'do_faq', 'do_person'] as const;

export function menu(c: Context, text: string): TurnResult {
  const rows = MENU.map((kind) => ({ action: { kind }, title: c.say(kind) }));
  const { session, ...result } = finish(c, listReply(c, text, 'menu_button', rows));
  return { ...result, session: { ...session, step: { name: 'idle', menu: true } } };
}

/** Drops what the patient asked for. */
export const stop = (c: Context): TurnResult => asDone(c, menu(c, c.say('stopped')));

/** Asks with `text` whether a person shall help. The current question stays open. */
export function offerPerson(c: Context, text: string): TurnResult {
  const asked = askAt(c, c.session.step, buttonsReply(c, text, 'do_person', 'do_menu'));
  return { ...asked, session: { ...asked.session, offersPerson: true } };
}

/** The reply to a message that is not understood. After the second one in a row, it offers a person instead of `asked`. */
export function notUnderstood(c: Context, asked: TurnResult): TurnResult {
  const misses = c.misses + 1;
  const result = misses < 2 ? asked : offerPerson(c, c.say('still_not_understood'));
  return { ...result, session: { ...result.session, misses } };
}

export const handOver = (c: Context, reason: HandoverReason, text: string): TurnResult => ({ ...finish(c, textReply(text)), handOver: reason });

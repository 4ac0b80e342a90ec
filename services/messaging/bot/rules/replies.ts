// The shapes in which the bot answers, within the limits of the provider.
import { cut, type Outgoing, type Row } from '../../outbound/outgoing-rules.ts';
import type { Context, Step, Turned } from './session.ts';
import type { TextKey } from './texts.ts';

const BODY = 1024;
export const ROWS = 10;

/** The answer to an aside, then the question that stands; what is too long is cut in the aside. */
export const join = (aside: string | undefined, text: string) => (aside ? `${cut(aside, BODY - text.length - 2)}\n\n${text}` : text);

export function turn(c: Context, step: Step, reply: Outgoing): Turned {
  return { session: { ...c.session, step }, reply };
}

export const textOf = (text: string): Outgoing => ({ type: 'text', text });

/** Up to three buttons, each an id and the key of its title. */
export function buttonsOf(c: Context, text: string, ...buttons: [id: string, title: TextKey][]): Outgoing {
  return { type: 'buttons', text, buttons: buttons.map(([id, title]) => ({ id, title: c.say(title) })) };
}

/** Up to ten rows; titles that are alike are told apart by their descriptions. */
export function listOf(c: Context, text: string, button: TextKey, rows: Row[]): Outgoing {
  return { type: 'list', text, button: c.say(button), sections: [{ rows: rows.slice(0, ROWS).map((row) => ({ ...row, title: cut(row.title, 24) })) }] };
}

/** What one can do here. */
export function menu(c: Context, text: string): Turned {
  const rows = (['do_book', 'do_mine', 'do_move', 'do_cancel', 'do_faq', 'do_person'] as const).map((key) => ({ id: key, title: c.say(key) }));
  return turn(c, { name: 'idle' }, listOf(c, text, 'menu_button', rows));
}

export function handOver(c: Context, text: string): Turned {
  return { ...turn(c, { name: 'idle' }, textOf(text)), handOver: true };
}

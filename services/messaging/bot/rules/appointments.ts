// Visits to come: shown, confirmed, moved, cancelled. Only those of this phone are touched, whatever a button says.

import { clock, shortDay } from '@clinic/lib/formats/local-days.ts';
import { buttonsOf, join, listOf, turn } from './replies.ts';
import { showDays, showTimes } from './booking.ts';
import { ask, type Context, type Slot, type Step, type Talk, type Visit, type VisitAction } from './session.ts';
import { visitLine } from './appointment-line.ts';

const lineOf = (c: Context, visit: Visit) => visitLine(visit, c.session.language);

/** The visit at once when there is one only. */
export function* visits(c: Context, action: VisitAction, aside?: string): Talk {
  const all = yield* ask('visits', {});
  const [first] = all;
  if (!first) return none(c, join(aside, c.say('no_visits')));
  if (all.length === 1) return yield* act(c, action, first);
  const rows = all.map((visit) => ({
    id: `visit|${action}|${visit.id}`,
    title: `${shortDay(visit.date, c.session.language)}, ${clock(visit.time, c.session.language)}`,
    description: `${visit.doctorName} · ${visit.patientName}`,
  }));
  return turn(c, { name: 'visit', action }, listOf(c, join(aside, c.say('which_visit')), 'visits_button', rows));
}

const none = (c: Context, text: string) => turn(c, { name: 'idle' }, buttonsOf(c, text, ['do_book', 'do_book'], ['do_menu', 'do_menu']));

/** What a button says of a visit. */
export function* onVisit(c: Context, action: VisitAction, id: string): Talk {
  const visit = (yield* ask('visits', {})).find((one) => one.id === id);
  return visit ? yield* act(c, action, visit) : none(c, c.say('visit_gone'));
}

/** By number in the list. */
export function* readVisit(c: Context, { action }: Extract<Step, { name: 'visit' }>): Talk<ReturnType<typeof none> | undefined> {
  const number = Number(/^ (\d{1,2}) $/.exec(c.said)?.[1] ?? 0);
  const visit = number > 0 ? (yield* ask('visits', {}))[number - 1] : undefined;
  return visit && (yield* act(c, action, visit));
}

function* act(c: Context, action: VisitAction, visit: Visit): Talk {
  const cita = lineOf(c, visit);
  switch (action) {
    case 'show':
      return turn(
        c,
        { name: 'idle' },
        buttonsOf(
          c,
          c.say('one_visit', { cita }),
          [`visit|confirm|${visit.id}`, 'confirm_visit'],
          [`visit|move|${visit.id}`, 'move_visit'],
          [`visit|cancel|${visit.id}`, 'cancel_visit'],
        ),
      );
    case 'confirm': {
      const done = visit.status === 'confirmed' || (yield* ask('status', { visitId: visit.id, status: 'confirmed' })).ok;
      if (!done) return none(c, c.say('visit_gone'));
      return turn(c, { name: 'idle' }, { type: 'text', text: c.say('confirmed', { cita }) });
    }
    case 'move':
      return yield* showDays(c, { id: visit.doctorId, name: visit.doctorName }, { move: visit.id });
    case 'cancel':
      return askToCancel(c, visit);
    case 'drop': {
      const { ok } = yield* ask('status', { visitId: visit.id, status: 'cancelled' });
      return none(c, ok ? c.say('cancelled', { cita }) : c.say('visit_gone'));
    }
  }
}

export function askToCancel(c: Context, visit: Visit, aside?: string) {
  const text = join(aside, c.say('sure_to_cancel', { cita: lineOf(c, visit) }));
  const step: Step = { name: 'confirm_cancel', visitId: visit.id };
  return turn(c, step, buttonsOf(c, text, [`visit|drop|${visit.id}`, 'yes_cancel'], [`visit|move|${visit.id}`, 'move_visit'], ['keep', 'keep']));
}

/** Asks once more before a visit is moved. */
export function* askToMove(c: Context, slot: Slot, move: string): Talk {
  const visit = (yield* ask('visits', {})).find(({ id }) => id === move);
  if (!visit) return none(c, c.say('visit_gone'));
  const free = yield* ask('times', { doctorId: slot.doctorId, date: slot.date });
  if (!free.includes(slot.time)) return yield* showTimes(c, { id: slot.doctorId, name: slot.doctorName }, slot.date, { move, aside: c.say('slot_taken') });
  return showMove(c, slot, visit);
}

export function showMove(c: Context, slot: Slot, visit: Visit, aside?: string) {
  const nonce = [visit.id, slot.doctorId, slot.date, slot.time].join('/');
  const text = join(aside, c.say('confirm_move', { antes: lineOf(c, visit), cita: visitLine(slot, c.session.language) }));
  const step: Step = { name: 'confirm_move', slot, move: visit.id, nonce };
  return turn(c, step, buttonsOf(c, text, [`yes|${nonce}`, 'yes_move'], [`no|${nonce}`, 'keep']));
}

export function* moveVisit(c: Context, { slot, move, nonce }: Extract<Step, { name: 'confirm_move' }>): Talk {
  const { doctorId, doctorName, date, time } = slot;
  const visit = (yield* ask('visits', {})).find(({ id }) => id === move);
  if (!visit) return none(c, c.say('visit_gone'));
  const moved = yield* ask('move', { visitId: move, doctorId, date, time });
  if (moved.ok) {
    const reply = buttonsOf(c, c.say('moved', { cita: visitLine(slot, c.session.language) }), ['do_mine', 'do_mine'], ['do_menu', 'do_menu']);
    return turn(c, { name: 'idle', done: nonce }, reply);
  }
  if (moved.reason === 'SLOT_TAKEN' || moved.reason === 'SLOT_UNAVAILABLE')
    return yield* showTimes(c, { id: doctorId, name: doctorName }, date, { move, aside: c.say('slot_taken') });
  return none(c, c.say('visit_gone'));
}

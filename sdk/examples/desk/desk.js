// An example of a front desk built on the SDK, served in development only: the agenda of a day, booking, the card of a patient, and the chat inbox.
// Each view reads its list once, and again when live events announce a change.
import { ClinicError, createClinic } from '@clinic/sdk';
import htm from 'htm';
import { h, render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { markLanguage, reasonOf, switchLanguage, t } from '/desk/texts.js';

const html = htm.bind(h);
const clinic = createClinic({ baseUrl: location.origin });
const short = (time) => time.slice(0, 5);
const moneyIn = (currency) => new Intl.NumberFormat('es-SV', { style: 'currency', currency, currencyDisplay: 'narrowSymbol', minimumFractionDigits: 2 });
const fieldsOf = (event) => {
  event.preventDefault();
  return Object.fromEntries(new FormData(event.currentTarget));
};

/** Makes the call of a form, unless the previous one has not ended: a double click must not send a message twice. */
const sendOnce = (form, call) => {
  if (form.ariaBusy) return;
  form.ariaBusy = 'true';
  void call().finally(() => {
    form.ariaBusy = null;
  });
};

/**
 * A value that is read once, and again whenever a live event arrives whose name matches `kinds`, or the connection is established again. Undefined
 * until the value for the current `inputs` is known.
 */
function useLive(read, kinds, inputs) {
  const [value, setValue] = useState();
  const [error, setError] = useState('');
  // Before anything is painted, so that nothing is shown below other inputs.
  useLayoutEffect(() => {
    let waiting;
    let isCurrent = true;
    const use = (set) => (result) => isCurrent && set(result);
    setValue(undefined);
    setError('');
    const load = () =>
      read().then(
        use((result) => {
          setValue(result);
          setError('');
        }),
        use((thrown) => setError(reasonOf(thrown))),
      );
    void load();
    const loadSoon = () => {
      clearTimeout(waiting);
      waiting = setTimeout(load, 200); // several events of one change cause one read
    };
    const onEvent = ({ detail }) => kinds.test(detail.event) && loadSoon();
    live.addEventListener('event', onEvent);
    live.addEventListener('reopened', loadSoon);
    addEventListener('online', loadSoon);
    return () => {
      isCurrent = false;
      clearTimeout(waiting);
      live.removeEventListener('event', onEvent);
      live.removeEventListener('reopened', loadSoon);
      removeEventListener('online', loadSoon);
    };
  }, inputs);
  return { value, error };
}

const appointmentsOf = ({ visits }) => visits; // plain-words: visits is a field of the API

const live = new EventTarget();
async function follow(signal, setLive) {
  let isFirst = true;
  const onOpen = () => {
    setLive(true);
    if (!isFirst) live.dispatchEvent(new Event('reopened'));
    isFirst = false;
  };
  const onClose = () => setLive(false);
  for await (const event of clinic.events({ signal, onOpen, onClose })) live.dispatchEvent(new CustomEvent('event', { detail: event }));
}

function Failure({ text }) {
  return text && html`<p role="alert">${text}</p>`;
}

/** A modal dialog. Escape closes it, and the focus returns to the element that opened it. */
function Dialog({ label, onClose, children }) {
  const dialog = useRef();
  useEffect(() => dialog.current.showModal(), []);
  return html`<dialog class="panel" ref=${dialog} aria-label=${label} onClose=${onClose}>
    ${children}<p><button type="button" class="close" onClick=${() => dialog.current.close()}>${t('close')}</button></p>
  </dialog>`;
}

function SignIn({ onSession }) {
  const [error, setError] = useState('');
  const submit = (event) => {
    const fields = fieldsOf(event);
    sendOnce(event.currentTarget, () => clinic.signIn(fields).then(onSession, (thrown) => setError(reasonOf(thrown))));
  };
  return html`<main class="narrow"><h1>${t('title')}</h1>
    <form onSubmit=${submit}>
      <label>${t('email')}<input name="email" type="email" autocomplete="username" required /></label>
      <label>${t('password')}<input name="password" type="password" autocomplete="current-password" required /></label>
      <${Failure} text=${error} />
      <button class="main">${t('signIn')}</button>
    </form></main>`;
}

/** Books a free slot, or moves `appointment` to one. */
function SlotForm({ doctor, date, appointment, onDone }) {
  const [day, setDay] = useState(date);
  const [slots, setSlots] = useState();
  const [error, setError] = useState('');
  useEffect(() => {
    const params = { path: { doctorId: doctor.doctor_id }, query: { date: day } };
    let isCurrent = true;
    const use = (set) => (result) => isCurrent && set(result);
    setSlots(undefined);
    setError('');
    clinic.get('/api/doctors/{doctorId}/slots', { params }).then(
      use(setSlots),
      use((thrown) => setError(reasonOf(thrown))),
    );
    return () => {
      isCurrent = false;
    };
  }, [day]);
  const submit = (event) => {
    const { startTime, patientName, patientPhone } = fieldsOf(event);
    const dialog = event.currentTarget.closest('dialog');
    const at = { doctorId: doctor.doctor_id, appointmentDate: day, startTime };
    const call = () =>
      appointment
        ? clinic.post('/api/appointments/{id}/reschedule', { params: { path: { id: appointment.id } }, body: at })
        : clinic.post('/api/appointments', { body: { ...at, patientName, patientPhone } });
    sendOnce(event.currentTarget, () =>
      call().then(
        () => dialog.close(),
        (thrown) => setError(reasonOf(thrown)),
      ),
    );
  };
  const title = `${appointment ? t('move') : t('book')}: ${appointment?.patients.full_name ?? doctor.full_name}`;
  return html`<${Dialog} label=${title} onClose=${onDone}><form onSubmit=${submit}>
    <h2>${title}</h2>
    <label>${t('day')}<input type="date" value=${day} onChange=${(event) => setDay(event.target.value)} required /></label>
    <label>${t('time')}<select name="startTime" required>${(slots ?? []).map(({ startTime }) => html`<option>${startTime}</option>`)}</select></label>
    ${slots?.length === 0 && html`<p>${t('full')}</p>`}
    ${!appointment && html`<label>${t('name')}<input name="patientName" required /></label><label>${t('phone')}<input name="patientPhone" type="tel" required /></label>`}
    <${Failure} text=${error} />
    <button class="main">${t('save')}</button>
  </form><//>`;
}

/** Undefined where the clinic has no dental records. */
const ifDental = (call) =>
  call.catch((thrown) => {
    if (!ClinicError.is(thrown, 'DENTAL_CLINIC_REQUIRED', 'PLAN_UPGRADE_REQUIRED', 'FEATURE_DISABLED')) throw thrown;
  });

function Card({ id, onClose }) {
  const [card, setCard] = useState();
  const [error, setError] = useState('');
  useEffect(() => {
    let url;
    const params = { path: { patientId: id } };
    Promise.all([
      clinic.get('/api/patients/{id}', { params: { path: { id } } }),
      ifDental(clinic.get('/api/patients/{patientId}/balance', { params })),
      ifDental(clinic.get('/api/dental/charts/{patientId}/current.svg', { params, parseAs: 'blob' })),
      clinic.get('/api/clinics/me'),
    ]).then(
      ([patient, balance, picture, { currency }]) => {
        url = picture && URL.createObjectURL(picture);
        setCard({ patient, owed: balance && moneyIn(currency).format(balance.owed), url });
      },
      (thrown) => setError(reasonOf(thrown)),
    );
    return () => url && URL.revokeObjectURL(url);
  }, [id]);
  const { patient, owed, url } = card ?? {};
  return html`<${Dialog} label=${t('card')} onClose=${onClose}>
    <${Failure} text=${error} />
    ${
      patient &&
      html`<h2>${patient.full_name}</h2>
      <p>${patient.phone}${owed && html` · ${t('owed')} <b class="owed">${owed}</b>`}</p>
      ${patient.alerts.length > 0 && html`<p>${t('alerts')}: ${patient.alerts.map(({ text }) => text).join(', ')}</p>`}
      ${url && html`<img src=${url} alt=${t('chart')} />`}`
    }
  <//>`;
}

/** The doctors; those that share a name also have their specialty and a number in it. */
const withDistinctNames = (doctors) =>
  doctors.map((doctor) => {
    const same = doctors.filter(({ full_name }) => full_name === doctor.full_name);
    if (same.length === 1) return doctor;
    return { ...doctor, full_name: `${[doctor.full_name, doctor.specialty].filter(Boolean).join(', ')} (${same.indexOf(doctor) + 1})` };
  });

/** Without a `chosen` date the API returns today in the zone of the clinic, which is not that of the browser. */
function Agenda({ chosen, setChosen }) {
  const [open, setOpen] = useState();
  const query = chosen ? { date: chosen } : {};
  const { value, error } = useLive(() => clinic.get('/api/agenda', { params: { query } }), /^appointment/, [chosen]);
  const date = chosen ?? value?.date ?? '';
  const [fault, setFault] = useState('');
  const done = () => setOpen(undefined);
  const cancel = ({ id, start_time, patients }) =>
    confirm(`${t('cancel')}: ${patients.full_name}, ${short(start_time)}. ${t('sure')}`) &&
    clinic.patch('/api/appointments/{id}/status', { params: { path: { id } }, body: { status: 'cancelled' } }).then(
      () => setFault(''),
      (thrown) => setFault(reasonOf(thrown)),
    );
  return html`<main>
    <label class="day">${t('day')}<input type="date" value=${date} onChange=${(event) => event.target.value && setChosen(event.target.value)} /></label>
    <${Failure} text=${error || fault} />
    ${!value && !error && html`<p role="status">${t('loading')}</p>`}
    <div class="doctors">
      ${withDistinctNames(value?.doctors ?? []).map(
        (doctor) => html`<section key=${doctor.doctor_id} aria-label=${doctor.full_name}>
          <h2>${doctor.full_name}</h2>
          <p><button class="book" aria-label=${`${t('book')}: ${doctor.full_name}`} onClick=${() => setOpen({ doctor })}>${t('book')}</button></p>
          ${appointmentsOf(doctor).length === 0 && html`<p>${t('empty')}</p>`}
          <ul>
            ${appointmentsOf(doctor).map(
              (one) => html`<li key=${one.id} data-patient=${one.patients.full_name} class=${one.status}>
                <b>${short(one.start_time)}</b> <button class="link" onClick=${() => setOpen({ card: one.patients.id })}>${one.patients.full_name}</button>
                <span> ${t(one.status)}${one.patient_confirmed_at && ` · ${t('coming')}`}</span>
                ${
                  ['confirmed', 'pending'].includes(one.status) &&
                  html`<span class="actions"><button class="move" aria-label=${`${t('move')}: ${one.patients.full_name}`} onClick=${() => setOpen({ doctor, appointment: one })}>${t('move')}</button>
                  <button class="cancel" aria-label=${`${t('cancel')}: ${one.patients.full_name}`} onClick=${() => cancel(one)}>${t('cancel')}</button></span>`
                }
              </li>`,
            )}
          </ul>
        </section>`,
      )}
    </div>
    ${open?.doctor && html`<${SlotForm} ...${open} date=${date} onDone=${done} />`}
    ${open?.card && html`<${Card} id=${open.card} onClose=${done} />`}
  </main>`;
}

function Thread({ conversation, onClose }) {
  const params = { path: { phone: conversation.phone } };
  const { value, error } = useLive(() => clinic.get('/api/conversations/{phone}/messages', { params }), /^conversation/, [conversation.phone]);
  const [fault, setFault] = useState('');
  const list = useRef();
  const act = (call) =>
    call.then(
      () => setFault(''),
      (thrown) => setFault(reasonOf(thrown)),
    );
  const newest = value?.messages[0]?.id;
  useEffect(() => {
    list.current.scrollTop = list.current.scrollHeight;
    if (conversation.unread_count > 0) void act(clinic.post('/api/conversations/{phone}/read', { params }));
  }, [newest]);
  const reply = (event) => {
    const form = event.currentTarget;
    const { message } = fieldsOf(event);
    sendOnce(form, () => act(clinic.post('/api/conversations/{phone}/reply', { params, body: { message } }).then(() => form.reset())));
  };
  const isBot = conversation.mode === 'bot';
  return html`<section class="panel thread" aria-label=${t('chat')}>
    <h2>${conversation.patient_name ?? conversation.phone}</h2>
    <p>${t('mode')} ${t(conversation.mode)}${conversation.handover_reason && `: ${t(conversation.handover_reason)}`} <button class="mode" onClick=${() => act(clinic.post(`/api/conversations/{phone}/${isBot ? 'takeover' : 'release'}`, { params }))}>
      ${t(isBot ? 'take' : 'release')}</button></p>
    <ol ref=${list} tabindex="0" aria-label=${t('messages')}>${(value?.messages ?? []).toReversed().map((one) => html`<li key=${one.id} class=${one.direction}>${one.text ?? one.type}</li>`)}</ol>
    <${Failure} text=${error || fault} />
    ${!isBot && html`<form onSubmit=${reply}><label>${t('reply')}<input name="message" required autocomplete="off" /></label><button class="main">${t('send')}</button></form>`}
    <p><button class="close" onClick=${onClose}>${t('close')}</button></p>
  </section>`;
}

function Chat() {
  const [phone, setPhone] = useState();
  const { value, error } = useLive(() => clinic.get('/api/conversations'), /^conversation/, []);
  const all = value?.conversations ?? [];
  const chosen = all.find((one) => one.phone === phone);
  return html`<main class="chat"><${Failure} text=${error} />
    <ul class="inbox">
      ${value && all.length === 0 && html`<li>${t('none')}</li>`}
      ${all.map(
        (one) => html`<li key=${one.phone}><button data-phone=${one.phone} aria-pressed=${one.phone === phone} onClick=${() => setPhone(one.phone)}>
          <b>${one.patient_name ?? one.phone}</b> ${one.handover_reason && html`<em class=${one.handover_reason}>${t(one.handover_reason)}</em>`} ${one.unread_count > 0 && html`<span class="unread">${one.unread_count}</span>`}<br />${one.last_message}</button></li>`,
      )}
    </ul>
    ${chosen && html`<${Thread} key=${chosen.phone} conversation=${chosen} onClose=${() => setPhone(undefined)} />`}
  </main>`;
}

function Desk() {
  const [session, setSession] = useState();
  const [view, setView] = useState('agenda');
  const [chosen, setChosen] = useState();
  const [isLive, setLive] = useState(false);
  const [, draw] = useState(0);
  useEffect(() => {
    clinic.refresh().then(setSession, () => setSession(null)); // continues an earlier session if its cookie exists
  }, []);
  useEffect(() => {
    if (!session) return undefined;
    const stop = new AbortController();
    follow(stop.signal, setLive).catch(() => setSession(null));
    return () => stop.abort();
  }, [session]);
  const changeLanguage = () => {
    switchLanguage();
    draw(Math.random());
  };
  const language = html`<button lang=${t('language') === 'English' ? 'en' : 'es'} onClick=${changeLanguage}>${t('language')}</button>`;
  if (session === undefined) return null;
  if (session === null) return html`<header>${language}</header><${SignIn} onSession=${setSession} />`;
  const signOut = () => clinic.signOut().finally(() => setSession(null));
  return html`<header>
      <h1>${session.clinic.name}</h1>
      <span role="status" class=${isLive ? 'live' : 'lost'}>${t(isLive ? 'live' : 'connecting')}</span>
      <nav aria-label=${t('title')}>${['agenda', 'chat'].map((name) => html`<button class="view-${name}" aria-current=${view === name ? 'page' : undefined} onClick=${() => setView(name)}>${t(name)}</button>`)}</nav>
      ${language}
      <button onClick=${signOut}>${t('signOut')}</button>
    </header>
    ${view === 'agenda' ? html`<${Agenda} ...${{ chosen, setChosen }} />` : html`<${Chat} />`}`;
}

markLanguage();
render(html`<${Desk} />`, document.getElementById('desk'));

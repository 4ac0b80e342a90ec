// The script of a patient's form: saves answers as they are entered, draws signatures, signs.
const [form, message, signer, sign] = ['form', 'message', 'signer', 'sign'].map((id) => document.getElementById(id));
const token = location.pathname.replace(/\/$/, '').split('/').pop();
/** A pause between two questions, not between two words: all patients of a waiting room share the rate limit of its address. */
const SAVE_AFTER_MS = 3_000;
const RETRY_AFTER_MS = 5_000;

for (const one of [form, document.getElementById('autosave')]) one.hidden = false; // hidden without a script

/** Answers that are not saved yet, by field. */
const changed = new Map();
let timer;
let saving = false;
let signing = false;

const show = (name, isError = false) => {
  message.textContent = form.dataset[name];
  message.className = isError ? '' : 'done';
};

const toBody = (answers) => answers.map(([field, value]) => ({ field, value }));

const post = (path, body, keepalive = false) =>
  fetch(`/api/public/forms/${token}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    keepalive,
  });

/** Signed on another device, or deleted by the clinic: the page says so when it is loaded again. */
const isClosed = (status) => status === 409 || status === 404;

/** An answer that is not valid is not sent: the server would refuse those that are sent with it. */
function change(field, value) {
  const question = questionOf(field);
  question.removeAttribute('data-refused');
  if (isInvalid(question)) changed.delete(field);
  else changed.set(field, value);
  unmark(question);
  saveIn(SAVE_AFTER_MS);
}

function saveIn(delay) {
  clearTimeout(timer);
  timer = setTimeout(save, delay);
}

/** The element that contains the question and its answer. */
const questionOf = (field) => form.querySelector(`[data-field="${field}"], [data-signature="${field}"]`).closest('.field');

/** The errors of a refused request. */
const detailsOf = (response) =>
  response.json().then(
    ({ details }) => details ?? [],
    () => [],
  );

/** Those of the answers sent that the errors name. The server refuses all answers of a request if it refuses one. */
const findRefused = (details, sent) => details.map(({ path }) => sent[/^answers\.(\d+)\./.exec(path)?.[1]]).filter(Boolean);

async function save() {
  if (saving || signing || changed.size === 0) return;
  saving = true;
  const sent = [...changed];
  show('saving');
  const response = await post('answers', { answers: toBody(sent) }).catch(() => undefined);
  const status = response?.status ?? 0;
  const refused = status === 400 ? findRefused(await detailsOf(response), sent) : [];
  saving = false;
  if (isClosed(status)) return location.reload();
  const isLost = status === 0 || status === 429 || status >= 500;
  if (isLost) show(status === 429 ? 'limited' : status === 0 ? 'offline' : 'failed', true);
  else if (status === 200) show('saved');
  else show('refused', true);
  if (refused.length > 0) refuse(refused);
  // Nothing is sent again that was refused without naming an answer: it would be refused again.
  else if (!isLost) for (const [field, value] of sent) if (changed.get(field) === value) changed.delete(field);
  if (changed.size > 0) saveIn(isLost ? RETRY_AFTER_MS : SAVE_AFTER_MS);
}

/** Marks the questions of refused answers, unless they have been changed meanwhile, and returns them. They are not sent again before they are changed. */
function refuse(answers) {
  const unchanged = answers.filter(([field, value]) => changed.get(field) === value);
  return unchanged.map(([field]) => {
    changed.delete(field);
    const question = questionOf(field);
    question.setAttribute('data-refused', '');
    mark(question);
    return question;
  });
}

form.addEventListener('input', ({ target }) => {
  if (target.dataset.field) change(Number(target.dataset.field), target.value);
  else unmark(target.closest('.field'));
});
addEventListener('online', save);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden' && changed.size > 0 && !signing) void post('answers', { answers: toBody([...changed]) }, true).catch(() => {});
});

/** Null in apps that show pages without storage, and where the browser refuses access to it. */
function findStorage() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

// The name is sent only with the signature; until then the browser retains it.
const storage = findStorage();
signer.value = storage?.getItem(token) ?? '';
signer.addEventListener('input', () => storage?.setItem(token, signer.value));

for (const box of document.querySelectorAll('[data-signature]')) prepareSignature(box);

function prepareSignature(box) {
  const field = Number(box.dataset.signature);
  const [canvas, clear, typed] = ['canvas', 'button', 'input'].map((name) => box.querySelector(name));
  const pen = canvas.getContext('2d');
  Object.assign(pen, { lineWidth: 4, lineCap: 'round', lineJoin: 'round', strokeStyle: '#0b2a55' });
  let isDown = false;
  const point = ({ clientX, clientY }) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [((clientX - left) * canvas.width) / width, ((clientY - top) * canvas.height) / height];
  };
  const set = (value) => {
    box.toggleAttribute('data-signed', value !== '');
    change(field, value);
  };
  const erase = () => {
    pen.clearRect(0, 0, canvas.width, canvas.height);
    box.querySelector('[data-draw]').textContent = box.querySelector('[data-draw]').dataset.draw;
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    isDown = true;
    typed.checked = false;
    pen.beginPath();
    pen.moveTo(...point(event));
    pen.lineTo(...point(event));
    pen.stroke();
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!isDown) return;
    pen.lineTo(...point(event));
    pen.stroke();
  });
  const lift = () => {
    if (isDown) set(canvas.toDataURL('image/png'));
    isDown = false;
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  clear.addEventListener('click', () => {
    erase();
    typed.checked = false;
    set('');
  });
  typed.addEventListener('input', () => {
    erase();
    set(typed.checked ? 'typed' : '');
  });
}

const fields = [...form.querySelectorAll('.field')];

const inputsOf = (field) => [...field.querySelectorAll('input, textarea')];

/** Whether the question needs an answer, or another one. */
const isOpen = (field) =>
  field.matches('[data-refused], [data-required]:not([data-signed])') ||
  inputsOf(field).some((input) => !input.checkValidity() || (input.required && !input.value.trim()));

/** Whether there is an answer that is not valid, for example an incomplete date. */
const isInvalid = (field) => field.matches('[data-refused]') || inputsOf(field).some(({ validity }) => !validity.valid && !validity.valueMissing);

/** The controls of a field that a screen reader announces as invalid: its inputs, or the group of a signature. */
const controlsOf = (field) => (field.matches('[data-signature]') ? [field] : inputsOf(field));

/** Marks the fields, each with a message, and goes to the first one. */
function pointOut(questions) {
  show('incomplete', true);
  for (const question of questions) mark(question);
  const [first] = questions;
  first.scrollIntoView({ block: 'center' });
  first.querySelector('input, textarea, button').focus({ preventScroll: true });
}

function mark(field) {
  const text = form.dataset[isInvalid(field) ? 'invalid' : field.matches('[data-signature]') ? 'unsigned' : 'required'];
  if (field.matches('.missing')) {
    field.querySelector('.fault').textContent = text;
    return;
  }
  field.classList.add('missing');
  const fault = Object.assign(document.createElement('p'), { className: 'fault', id: `fault-${fields.indexOf(field)}`, textContent: text });
  field.querySelector('label, legend').after(fault);
  for (const control of controlsOf(field)) {
    control.setAttribute('aria-invalid', 'true');
    describe(control, [fault.id, ...describedBy(control)]);
  }
}

const describedBy = (control) => control.getAttribute('aria-describedby')?.split(' ') ?? [];

function describe(control, ids) {
  if (ids.length > 0) control.setAttribute('aria-describedby', ids.join(' '));
  else control.removeAttribute('aria-describedby');
}

/** Removes the mark of a field that has a valid answer now, or updates its message. */
function unmark(field) {
  if (!field?.matches('.missing')) return;
  if (isOpen(field)) return mark(field);
  field.classList.remove('missing');
  const fault = field.querySelector('.fault');
  fault.remove();
  for (const control of controlsOf(field)) {
    control.removeAttribute('aria-invalid');
    describe(
      control,
      describedBy(control).filter((id) => id !== fault.id),
    );
  }
  if (!form.querySelector('.missing')) message.textContent = '';
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const open = fields.filter(isOpen);
  if (open.length > 0) return pointOut(open);
  clearTimeout(timer); // all answers are sent with the signature
  signing = true;
  sign.disabled = true;
  show('saving');
  const sent = [...changed];
  try {
    const response = await post('sign', { signer_name: signer.value, answers: toBody(sent) });
    if (response.ok) {
      storage?.removeItem(token);
      return location.reload();
    }
    if (isClosed(response.status)) return location.reload();
    const details = await detailsOf(response);
    const missing = details.flatMap(({ path }) => /^answers\.(\d+)$/.exec(path)?.[1] ?? []);
    const questions = [...missing.map(questionOf), ...refuse(findRefused(details, sent))];
    if (questions.length > 0) pointOut(questions);
    else show(response.status === 429 ? 'limited' : response.status >= 500 ? 'undelivered' : 'refused', true);
  } catch {
    show('offline', true);
  }
  signing = false;
  sign.disabled = false;
  if (changed.size > 0) saveIn(RETRY_AFTER_MS);
});

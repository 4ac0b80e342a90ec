// The script of a patient's form: saves answers as they are entered, draws signatures, signs.
const [form, message, signer, sign] = ['form', 'message', 'signer', 'sign'].map((id) => document.getElementById(id));
const token = location.pathname.split('/').pop();
const SAVE_AFTER_MS = 600;
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

function change(field, value) {
  changed.set(field, value);
  saveIn(SAVE_AFTER_MS);
}

function saveIn(delay) {
  clearTimeout(timer);
  timer = setTimeout(save, delay);
}

async function save() {
  if (saving || signing || changed.size === 0) return;
  saving = true;
  const sent = [...changed];
  show('saving');
  const status = await post('answers', { answers: toBody(sent) }).then(
    (response) => response.status,
    () => 0,
  );
  saving = false;
  if (isClosed(status)) return location.reload();
  const isLost = status === 0 || status === 429 || status >= 500;
  if (isLost) show(status === 429 ? 'limited' : status === 0 ? 'offline' : 'failed', true);
  // Refused answers are not sent again: they would be refused again.
  else for (const [field, value] of sent) if (changed.get(field) === value) changed.delete(field);
  if (status === 200) show('saved');
  else if (!isLost) show('refused', true);
  if (changed.size > 0) saveIn(isLost ? RETRY_AFTER_MS : 0);
}

form.addEventListener('input', ({ target }) => {
  unmark(target.closest('.field'));
  if (target.dataset.field) change(Number(target.dataset.field), target.value);
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
    unmark(box);
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

const isMissing = (field) =>
  field.matches('[data-required]:not([data-signed])') ||
  [...field.querySelectorAll(':required')].some((input) => !input.checkValidity() || !input.value.trim());

/** The questions without an answer that need one. */
const findMissing = () => fields.filter(isMissing);

/** The controls of a field that a screen reader announces as invalid: its inputs, or the group of a signature. */
const controlsOf = (field) => (field.matches('[data-signature]') ? [field] : [...field.querySelectorAll('[required]')]);

/** Marks the fields, each with a message, and goes to the first one. */
function pointOut(missing) {
  show('incomplete', true);
  for (const field of missing) mark(field);
  const [first] = missing;
  first.scrollIntoView({ block: 'center' });
  first.querySelector('input, textarea, button').focus({ preventScroll: true });
}

function mark(field) {
  if (field.matches('.missing')) return;
  field.classList.add('missing');
  const text = field.matches('[data-signature]') ? form.dataset.unsigned : form.dataset.required;
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

/** Removes the mark of a field that has an answer now. */
function unmark(field) {
  if (!field?.matches('.missing') || isMissing(field)) return;
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
  const missing = findMissing();
  if (missing.length > 0) return pointOut(missing);
  signing = true;
  sign.disabled = true;
  show('saving');
  try {
    const response = await post('sign', { signer_name: signer.value, answers: toBody([...changed]) });
    if (response.ok) {
      storage?.removeItem(token);
      return location.reload();
    }
    if (isClosed(response.status)) return location.reload();
    const { details } = await response.json();
    const field = /^answers\.(\d+)$/.exec(details?.[0]?.path)?.[1];
    const element = field && form.querySelector(`[data-field="${field}"], [data-signature="${field}"]`);
    if (element) pointOut([element.closest('.field')]);
    else show(response.status === 429 ? 'limited' : response.status >= 500 ? 'undelivered' : 'refused', true);
  } catch {
    show('offline', true);
  }
  signing = false;
  sign.disabled = false;
});

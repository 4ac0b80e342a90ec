// The script of all pages with a form; the path of the page selects its entry in PAGES.
const element = (id) => document.getElementById(id);
const [form, message, button] = ['form', 'message', 'button'].map(element);

const WEAK_PASSWORD = 'Esa contraseña es demasiado corta o común, o es un nombre o un correo. Elija otra.';

/** `start` takes the parameters of the link; `toBody` returns what to send, or undefined when it has shown what is wrong. */
const PAGES = {
  '/register': {
    path: '/api/auth/register-clinic',
    start: (link) => {
      element('inviteCode').value = link.get('code') ?? '';
    },
    toBody: () => Object.fromEntries([...form.querySelectorAll('input, select')].map(({ id, value }) => [id, value])),
    success: ({ clinic, user }) => `Listo. ${clinic.name} ya está registrada: puede entrar con ${user.email}.`,
    codes: {
      INVALID_INVITE_CODE: 'Ese código no existe, ya se usó, venció o es para otro correo.',
      EMAIL_TAKEN: 'Ese correo ya tiene una cuenta.',
    },
    fields: { password: WEAK_PASSWORD, email: 'Ese correo no es válido.' },
    failure: 'No se pudo registrar. Revise los datos e inténtelo de nuevo.',
  },
  '/reset-password': {
    path: '/api/auth/reset-password',
    start: (link) => {
      form.hidden = !link.get('token');
      if (form.hidden) show('El enlace está incompleto. Ábralo de nuevo desde el correo.');
    },
    toBody: (link) => {
      const password = element('password').value;
      if (password === element('again').value) return { token: link.get('token'), password };
      show('Las dos contraseñas no son iguales.');
    },
    success: () => 'Listo. Ya puede entrar con su contraseña nueva.',
    codes: { INVALID_RESET_TOKEN: 'Este enlace ya se usó o venció. Pida uno nuevo.' },
    fields: { password: WEAK_PASSWORD },
    failure: 'No se pudo cambiar la contraseña. Inténtelo de nuevo.',
  },
};

function show(text, isDone = false) {
  message.textContent = text;
  message.className = isDone ? 'done' : '';
}

const page = PAGES[location.pathname.replace(/\/$/, '')];
const link = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, '', location.pathname); // the secret of the link must not stay in the browser's history
form.hidden = false; // hidden without a script
page.start(link);
addEventListener('hashchange', () => location.reload()); // another link to this page, opened in the same tab

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = page.toBody(link);
  if (!body) return;
  button.disabled = true;
  try {
    const response = await fetch(page.path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    const reply = await response.json();
    form.hidden = response.ok;
    if (response.ok) show(page.success(reply), true);
    else if (reply.code === 'RATE_LIMITED') show('Demasiados intentos. Espere unos minutos.');
    else if (response.status >= 500) show('El servicio no está disponible en este momento. Inténtelo de nuevo en unos minutos.');
    else show(page.codes[reply.code] ?? page.fields[reply.details?.[0]?.path] ?? page.failure);
  } catch {
    show('No hay conexión. Inténtelo de nuevo.');
  } finally {
    button.disabled = false;
  }
});

// GET /forms/:token, the page where a patient fills and signs a form. Its script calls the route rows (routes/forms.ts).
import { refuseReadOnly } from '@clinic/lib/errors/errors.ts';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import express, { type Router } from 'express';
import { call } from '../http/rpc.ts';
import { serveGet } from '../http/send.ts';
import { FORM_TEXTS, patientFormPage } from './form-page.ts';
import { endingPage, languageOf, type PageOptions, pageHandler } from './page-handler.ts';
import { sendPage } from './public-page.ts';

const PAGE = '/forms/:token';

export function formRoutes({ transports, operating, ...options }: PageOptions): Router {
  const scheduling = transports('scheduling');
  const router = express.Router({ caseSensitive: true });
  serveGet(
    router,
    PAGE,
    options.log,
    pageHandler({ ...options, operating, rate: 'booking_view' }, PAGE, endingPage(FORM_TEXTS), async (token, caller, response, request) => {
      const form = await call(scheduling, FormService.method.getPublicForm, { token }, caller);
      if (form.status !== 'signed') {
        // or else no answer could be saved
        operating.checkChange();
        refuseReadOnly(form);
      }
      sendPage(response, 200, patientFormPage(form, languageOf(request)));
    }),
  );
  return router;
}

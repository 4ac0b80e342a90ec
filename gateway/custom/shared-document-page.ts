// The errors of documents that patients open by the link in a message, for example one that has expired: as a page if a browser opens the link.
import express, { type Router } from 'express';
import type { Failure } from '../http/errors.ts';
import { setHeaders } from '../http/send.ts';
import { endingPage } from './page-handler.ts';
import { type Ending, sendPage } from './public-page.ts';

const DOCUMENTS = ['/api/prescriptions/shared/:file', '/api/dte/shared/:file'];

const es = {
  unknown: ['Este enlace ya no es válido', 'Pida a la clínica que le envíe el documento de nuevo.'] as Ending,
  paused: ['Por ahora no se puede abrir este documento', 'Inténtelo más tarde.'] as Ending,
  failed: ['No pudimos abrir el documento', 'Inténtelo de nuevo en unos minutos.'] as Ending,
};

const en: typeof es = {
  unknown: ['This link is no longer valid', 'Ask the clinic to send you the document again.'],
  paused: ['This document cannot be opened at present', 'Try again later.'],
  failed: ['The document could not be opened', 'Try again in a few minutes.'],
};

const toErrorPage = endingPage({ es, en });

/** For requests that prefer HTML; others get the errors as JSON. */
export function sharedDocumentPages(): Router {
  return express.Router({ caseSensitive: true }).get(DOCUMENTS, (request, response, next) => {
    if (request.accepts(['json', 'html']) === 'html')
      response.locals.sendErrorPage = ({ error, status, headers }: Failure) => {
        setHeaders(response, headers);
        sendPage(response, status, toErrorPage(error.reason, request));
      };
    next();
  });
}

// Sets the issuer of the clinic's tax documents and its points of sale.
import { audit, isUnchanged } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { toSingleLine } from '@clinic/lib/formats/person-name.ts';
import { ESTABLISHMENT, ESTABLISHMENT_RULE, POINT_OF_SALE, POINT_OF_SALE_RULE } from '@clinic/lib/formats/point-of-sale.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DtePointOfSale, SetDteIssuerRequest } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import type { App } from '../../app.ts';
import type { Provider } from '../authority/authority-client.ts';
import { encryptJson, issuerContext } from '../encrypted-columns.ts';
import { decryptProfile, decryptProvider, getPublicIssuer } from '../get-issuer.ts';
import { orNull, parseAddress, parsePerson } from '../parse-order.ts';
import { digits } from '../rules/id-numbers.ts';
import { type Issuer, issuerFault, type PointOfSale } from '../rules/issuer.ts';
import { ENVIRONMENTS } from '../rules/kinds.ts';
import { listPoints, lockIssuer, putIssuer, replacePoints } from '../sql/issuers.sql.ts';

/** CAT-019. */
const DENTAL_SERVICES = '86202';
const MAX_POINTS = 20;

export async function setDteIssuer(app: App, request: SetDteIssuerRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  const issuer = parseIssuer(request);
  throwIfInvalid(issuerFault(app.catalogs, issuer));
  const points = parsePoints(request.pointsOfSale);
  const provider = request.provider && {
    user: parseText('provider.user', request.provider.user, 100),
    password: parseText('provider.password', request.provider.password, 200),
  };
  const { environment, nit } = issuer;
  return inTenant(app.db, clinicId, async (tx) => {
    if (await isStored(app, tx, issuer, points, provider)) return getPublicIssuer(app, tx);
    await putIssuer(tx, {
      environment,
      nit,
      profile: encryptJson(app.keys, issuer, issuerContext(clinicId, 'profile')),
      provider: provider ? encryptJson(app.keys, provider, issuerContext(clinicId, 'provider')) : null,
      now: app.clock.now(),
    });
    await replacePoints(tx, environment, nit, points);
    const changes = { environment, points: points.length, provider: provider ? 'set' : 'unchanged' };
    await audit(tx, clinicId, call.caller, { action: 'tax_issuer.set', entityId: clinicId, changes });
    return getPublicIssuer(app, tx);
  });
}

/** Whether the issuer already has these values. Locks it. */
async function isStored(app: App, tx: TenantTx, issuer: Issuer, points: PointOfSale[], provider: Provider | undefined): Promise<boolean> {
  const row = await lockIssuer(tx);
  if (!row) return false;
  const stored = { ...decryptProfile(app, row), points: await listPoints(tx), provider: decryptProvider(app, row) };
  return isUnchanged(stored, { ...issuer, points, ...(provider && { provider }) });
}

function parseIssuer(request: SetDteIssuerRequest): Issuer {
  const { responsible } = request;
  return {
    environment: ENVIRONMENTS[parseOneOf('environment', request.environment, ['test', 'production'])],
    nit: digits(request.nit),
    nrc: digits(request.nrc),
    name: toSingleLine(request.name),
    tradeName: orNull(request.tradeName && toSingleLine(request.tradeName)),
    activity: orNull(request.activity) ?? DENTAL_SERVICES,
    address: parseAddress('address', request.address),
    phone: request.phone.replaceAll(/[\s-]/g, ''),
    email: request.email.trim(),
    isLargeTaxpayer: request.isLargeTaxpayer,
    mailsReceivers: request.mailReceivers ?? true,
    responsible: responsible ? parsePerson(responsible) : invalid('responsible', 'is required'),
  };
}

function parsePoints(pointsOfSale: DtePointOfSale[]): PointOfSale[] {
  if (pointsOfSale.length > MAX_POINTS) invalid('pointsOfSale', `must have at most ${MAX_POINTS} items`);
  const points = pointsOfSale.map(({ establishment, code }, index) => {
    if (!ESTABLISHMENT.test(establishment)) invalid(`pointsOfSale.${index}.establishment`, ESTABLISHMENT_RULE);
    if (!POINT_OF_SALE.test(code)) invalid(`pointsOfSale.${index}.code`, POINT_OF_SALE_RULE);
    return { establishment, code };
  });
  if (new Set(points.map((point) => point.establishment + point.code)).size < points.length) invalid('pointsOfSale', 'must not contain a point of sale twice');
  return points.length > 0 ? points : [{ establishment: 'M001', code: 'P001' }];
}

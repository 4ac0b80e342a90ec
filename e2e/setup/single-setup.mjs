// Jest loads this natively, so that the TypeScript beyond it needs no transform.
import { setup } from '../../scripts/dev/product.ts';

export default () => setup('single');

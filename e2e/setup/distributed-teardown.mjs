// Jest loads this natively, so that the TypeScript beyond it needs no transform.
import { teardown } from '../../scripts/dev/product.ts';

export default () => teardown('distributed');

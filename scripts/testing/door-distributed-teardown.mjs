// Jest loads this natively, so that the TypeScript beyond it needs no transform.
import { teardown } from './product.ts';

export default () => teardown('distributed');

import { test } from 'vitest'
import { describeLaws, swizzleLaws } from '../../../src/laws/index.js'

describeLaws(test, swizzleLaws(64), { apply: (byte) => byte ^ (((byte >> 7) & 3) << 4) })

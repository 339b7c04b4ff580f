import { matmulLaws } from './laws.js'
import { pairs } from './plans.js'

pairs.forEach(matmulLaws)

import { matmulLaws } from './laws.js'
import { blackwell } from './plans.js'

blackwell.forEach(matmulLaws)
